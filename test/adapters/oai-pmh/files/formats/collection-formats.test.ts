import { describe, expect, test } from 'vitest';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';

const host = 'https://repo.example';

describe('Of what archives, museums and laboratories speak', () => {
  test('TEI of HAL: files and annexes, open from a day on', () => {
    const namespace = 'http://www.tei-c.org/ns/1.0';
    const ref = (attributes: string, from = '') => `<ref ${attributes}>${from}</ref>`;
    expect(
      statedFiles(
        namespace,
        `<TEI xmlns="${namespace}"><edition><date type="whenEndEmbargoed">2031-01-01</date>${ref(`type="file" target="${host}/hal-01234567/document"`, '<date notBefore="2031-02-03"/>')}${ref(`type="annex" target="${host}/hal-01234567/file/a.zip"`)}${ref(`type="externalLink" target="${host}/b.pdf"`)}</edition><biblStruct><ref type="publisher">${host}/c.pdf</ref></biblStruct></TEI>`,
      ),
    ).toMatchObject([
      { url: `${host}/hal-01234567/document`, access: 'embargoed', availableAt: '2031-02-03T00:00:00Z' },
      { url: `${host}/hal-01234567/file/a.zip`, name: 'a.zip' },
    ]);
  });

  test('ISO 19139: downloads of the distribution, not services, pages or pictures', () => {
    const namespace = 'http://www.isotc211.org/2005/gmd';
    const online = (url: string, protocol: string, name = '') =>
      `<onLine><CI_OnlineResource><linkage><URL>${url}</URL></linkage><protocol><c>${protocol}</c></protocol><name><c>${name}</c></name></CI_OnlineResource></onLine>`;
    expect(
      statedFiles(
        namespace,
        `<MD_Metadata xmlns="${namespace}"><contact>${online(`${host}/about.pdf`, '')}</contact><graphicOverview><fileName><c>${host}/overview.png</c></fileName></graphicOverview><distributionInfo><MD_DigitalTransferOptions>${online(`${host}/get/1`, 'WWW:DOWNLOAD-1.0-http--download', 'grid.nc')}${online(`${host}/wms?map=a.map`, 'OGC:WMS')}${online(`${host}/b.csv`, 'http')}${online(`${host}/dataset/1`, 'WWW:LINK-1.0-http--link')}</MD_DigitalTransferOptions></distributionInfo></MD_Metadata>`,
      ),
    ).toEqual([
      { url: `${host}/get/1`, name: 'grid.nc' },
      { url: `${host}/b.csv`, name: 'b.csv' },
    ]);
  });

  test('LIDO: representations with a format or a telling type, not thumbnails or pages', () => {
    const namespace = 'http://www.lido-schema.org';
    const representation = (type: string, link: string) =>
      `<resourceRepresentation type="${type}">${link}</resourceRepresentation>`;
    const link = (path: string, format = '') =>
      `<linkResource formatResource="${format}">${host}/${path}</linkResource>`;
    expect(
      statedFiles(
        namespace,
        `<lido xmlns="${namespace}"><recordInfoLink>${host}/item.pdf</recordInfoLink>${representation('', link('asset?id=1', 'image/jpeg'))}${representation('IIIFManifest', link('manifest/1'))}${representation('', link('2.tif'))}${representation('image_thumb', link('3.jpg'))}${representation('', link('page/4', 'text/html'))}</lido>`,
      ).map(({ url, mediaType }) => [url, mediaType]),
    ).toEqual([
      [`${host}/asset?id=1`, 'image/jpeg'],
      [`${host}/manifest/1`, undefined],
      [`${host}/2.tif`, undefined],
    ]);
  });

  test.each(['urn:isbn:1-931666-22-9', 'http://ead3.archivists.org/schema/'])(
    'EAD (%s): digital objects that look like files',
    (namespace) => {
      expect(
        statedUrls(
          namespace,
          `<ead xmlns="${namespace}" xmlns:x="urn:x"><dao x:href="${host}/a.pdf"/><dao x:href="${host}/viewer/17"/><daoloc x:role="thumbnail" x:href="${host}/b.jpg"/><dao x:href="https://hdl.handle.net/1/2"/></ead>`,
        ),
      ).toEqual([`${host}/a.pdf`]);
    },
  );

  test.each([
    'http://ltsc.ieee.org/xsd/LOMv1p0',
    'http://www.imsglobal.org/xsd/imsmd_v1p2',
    'http://www.imsglobal.org/xsd/imsmd_rootv1p2p1',
  ])('LOM has many namespaces: %s', (namespace) => {
    expect(
      statedUrls(
        namespace,
        `<lom xmlns="${namespace}"><technical><format>application/pdf</format><location> ${host}/objectstore/9121e795-0af3-4ff3-be2a-4b28418fb269\n</location></technical></lom>`,
      ),
    ).toEqual([`${host}/objectstore/9121e795-0af3-4ff3-be2a-4b28418fb269`]);
  });
});

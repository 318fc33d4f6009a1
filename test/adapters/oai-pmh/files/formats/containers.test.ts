import { describe, expect, test } from 'vitest';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';

const host = 'https://repo.example';

describe('Of METS', () => {
  const mets = 'http://www.loc.gov/METS/';
  const locate = (href: string) => `<m:FLocat LOCTYPE="URL" x:href="${href}"/>`;
  const document = (content: string) =>
    `<m:mets xmlns:m="${mets}" xmlns:x="http://www.w3.org/1999/xlink"><m:fileSec>${content}</m:fileSec></m:mets>`;

  test('DSpace: files are in ORIGINAL, with size and checksum', () => {
    const files = statedFiles(
      mets,
      document(
        `<m:fileGrp USE="ORIGINAL"><m:file MIMETYPE="application/pdf" SIZE="12" CHECKSUM="${'a'.repeat(40)}" CHECKSUMTYPE="SHA-1">${locate(`${host}/bitstream/1/2/1/a.pdf`)}</m:file></m:fileGrp>` +
          ['TEXT', 'THUMBNAIL', 'LICENSE', 'CC-LICENSE', 'METADATA', 'ORE']
            .map(
              (use) => `<m:fileGrp USE="${use}"><m:file>${locate(`${host}/${use}.pdf`)}</m:file></m:fileGrp>`,
            )
            .join(''),
      ),
    );
    expect(files).toEqual([
      {
        url: `${host}/bitstream/1/2/1/a.pdf`,
        name: 'a.pdf',
        mediaType: 'application/pdf',
        length: 12,
        hash: `sha-1:${'a'.repeat(40)}`,
      },
    ]);
  });

  test('what a file is for may stand at the file; two places of one file are one file; other locations are none', () => {
    expect(
      statedUrls(
        mets,
        document(
          `<m:fileGrp><m:file USE="ACCESS">${locate('urn:x:1')}${locate(`${host}/a.mp4`)}${locate(`${host}/b.mp4`)}</m:file><m:file USE="thumbnail">${locate(`${host}/t.png`)}</m:file><m:fileGrp USE="THUMBS"><m:fileGrp><m:file>${locate(`${host}/u.png`)}</m:file></m:fileGrp></m:fileGrp><m:file MIMETYPE="text/html">${locate(`${host}/articles/17`)}</m:file></m:fileGrp>`,
        ),
      ),
    ).toEqual([`${host}/a.mp4`]);
  });
});

describe('Of ORE in Atom', () => {
  const atom = 'http://www.w3.org/2005/Atom';
  const link = (href: string) =>
    `<a:link rel="http://www.openarchives.org/ore/terms/aggregates" href="${href}" title="T.pdf" type="application/pdf" length="695969"/>`;
  const about = (url: string, bundle: string) =>
    `<r:Description r:about="${url}"><d:description>${bundle}</d:description></r:Description>`;
  const document = (content: string) =>
    `<a:entry xmlns:a="${atom}" xmlns:r="urn:r" xmlns:d="urn:d">${content}</a:entry>`;

  test('what is aggregated is a file unless the triples say that it is of another bundle', () => {
    const [one, two] = [`${host}/bitstream/1/1/a.pdf`, `${host}/bitstream/1/2/license.txt`];
    const files = statedFiles(
      atom,
      document(
        `<a:link rel="alternate" href="${host}/a.pdf"/>${link(one)}${link(two)}<t>${about(one, 'ORIGINAL')}${about(two, 'LICENSE')}</t>`,
      ),
    );
    expect(files).toEqual([{ url: one, name: 'T.pdf', mediaType: 'application/pdf', length: 695_969 }]);
    expect(statedUrls(atom, document(link(one) + about(one, 'A thesis.')))).toEqual([one]);
  });
});

describe('Of DIDL', () => {
  const didl = 'urn:mpeg:mpeg21:2002:02-DIDL-NS';
  const descriptor = (content: string) =>
    `<Descriptor><Statement mimeType="application/xml">${content}</Statement></Descriptor>`;
  const resource = (ref: string) =>
    `<Component><Resource mimeType="application/pdf" ref="${ref}"/></Component>`;
  const document = (content: string) => `<DIDL xmlns="${didl}"><Item>${content}</Item></DIDL>`;
  const item = (type: string, ...content: string[]) =>
    `<Item>${descriptor(`<r:type xmlns:r="urn:r" r:resource="info:eu-repo/semantics/${type}"/>`)}${content.join('')}</Item>`;

  test('typed Items: only object files, with their own rights', () => {
    const rights = (value: string) => descriptor(`<accessRights>${value}</accessRights>`);
    const files = statedFiles(
      didl,
      document(
        resource(`${host}/page.pdf`) +
          item('descriptiveMetadata', resource(`${host}/mods.xml`)) +
          item(
            'objectFile',
            rights('http://purl.org/eprint/accessRights/OpenAccess'),
            descriptor("<description>publisher's version</description>"),
            resource(`${host}/a.pdf`),
          ) +
          item(
            'objectFile',
            rights('http://purl.org/eprint/accessRights/ClosedAccess'),
            resource(`${host}/b.pdf`),
          ) +
          item(
            'objectFile',
            rights('info:eu-repo/semantics/embargoedAccess'),
            descriptor('<available>2031-01-02</available>'),
            resource(`${host}/c.pdf`),
          ) +
          item('humanStartPage', resource(`${host}/start.pdf`)),
      ),
    );
    expect(files).toEqual([
      {
        url: `${host}/a.pdf`,
        name: 'a.pdf',
        mediaType: 'application/pdf',
        access: 'open',
        version: "publisher's version",
      },
      { url: `${host}/b.pdf`, name: 'b.pdf', mediaType: 'application/pdf', access: 'restricted' },
      {
        url: `${host}/c.pdf`,
        name: 'c.pdf',
        mediaType: 'application/pdf',
        access: 'embargoed',
        availableAt: '2031-01-02T00:00:00Z',
      },
    ]);
  });

  test('the older profile types in text, and DSpace does not type at all', () => {
    const typed = (type: string, ref: string) =>
      `<Item>${descriptor(`<ObjectType>info:eu-repo/semantics/${type}</ObjectType>`)}${resource(ref)}</Item>`;
    expect(
      statedUrls(didl, document(typed('objectFile', `${host}/a.pdf`) + typed('humanStartPage', `${host}/p`))),
    ).toEqual([`${host}/a.pdf`]);
    expect(
      statedUrls(didl, document(resource(`${host}/bitstream/1/2/1/a.pdf`) + resource(`${host}/handle/1/2`))),
    ).toEqual([`${host}/bitstream/1/2/1/a.pdf`]);
  });

  test('a document beside its normalised form is one', () => {
    const combined = 'http://gh.kb-dans.nl/combined/v0.9/';
    const one = document(item('objectFile', resource(`${host}/a.pdf`)));
    expect(
      statedUrls(
        combined,
        `<c xmlns="${combined}"><nl_didl>${one}</nl_didl><nl_didl_norm>${one}</nl_didl_norm></c>`,
      ),
    ).toEqual([`${host}/a.pdf`]);
  });
});

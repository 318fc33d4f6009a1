import { describe, expect, test } from 'vitest';
import { findFiles } from '../../../../../adapters/oai-pmh/files/index.ts';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';

const namespace = 'http://www.lyncode.com/xoai';
const field = (name: string, value: string) => `<field name="${name}">${value}</field>`;
const element = (name: string, ...content: string[]) =>
  `<element name="${name}">${content.join('')}</element>`;
const bitstream = (...content: string[]) => element('bitstream', ...content);
const bundle = (name: string, ...bitstreams: string[]) =>
  element('bundle', field('name', name), element('bitstreams', ...bitstreams));
const payload = (...content: string[]) => `<metadata xmlns="${namespace}">${content.join('')}</metadata>`;
const url = (name: string) => field('url', `https://repo.example/bitstream/1/2/${name}`);
const policies = (...content: string[]) =>
  element('resourcePolicies', ...content.map((policy) => element('resourcePolicy', policy)));
const read = (start = '') =>
  field('group', 'Anonymous') + field('action', 'READ') + (start && field('start-date', start));

describe('Of xoai', () => {
  test('the bundle ORIGINAL is taken with all that it says', () => {
    const document = payload(
      element(
        'bundles',
        bundle('THUMBNAIL', bitstream(url('a.pdf.jpg'))),
        bundle(
          'ORIGINAL',
          bitstream(
            field('name', ' A, 2022.pdf '),
            field('format', 'Application/PDF;x=y'),
            field('size', '1554917'),
            url('a.pdf'),
            field('checksum', '42D8CD076931E43E02D0AF70A36D704E'),
            field('checksumAlgorithm', 'MD5'),
            field('sid', '7'),
          ),
        ),
        ...['TEXT', 'LICENSE', 'CC-LICENSE', 'ORE', 'SWORD', 'METADATA'].map((name) =>
          bundle(name, bitstream(url(name))),
        ),
      ),
    );
    expect(findFiles(namespace, document)).toEqual({
      rank: 1,
      files: [
        {
          url: 'https://repo.example/bitstream/1/2/a.pdf',
          name: 'A, 2022.pdf',
          sequence: 7,
          mediaType: 'application/pdf',
          length: 1_554_917,
          hash: 'md5:42d8cd076931e43e02d0af70a36d704e',
        },
      ],
    });
  });

  test('positions are of the upstream only where every file has one of its own', () => {
    const sequences = (...sids: string[]) =>
      findFiles(
        namespace,
        payload(
          bundle('ORIGINAL', ...sids.map((sid, index) => bitstream(url(`${index}`), field('sid', sid)))),
        ),
      )?.files.map(({ sequence }) => sequence);
    expect(sequences('9', '4')).toEqual([9, 4]);
    expect(sequences('9', '9')).toEqual([1, 2]);
    expect(sequences('9', '-1')).toEqual([1, 2]);
  });

  test.each([
    ['nothing is said without policies', '', {}],
    ['an anonymous READ is open', policies(read()), { access: 'open' }],
    [
      'a READ with a start is an embargo',
      policies(read('2031-05-01')),
      { access: 'embargoed', availableAt: '2031-05-01T00:00:00Z' },
    ],
    [
      'others may read is restricted',
      policies(
        field('group', 'Staff') + field('action', 'READ'),
        field('group', 'Anonymous') + field('action', 'WRITE'),
      ),
      { access: 'restricted' },
    ],
    ['nobody may is restricted', policies(), { access: 'restricted' }],
  ])('access: %s', (_, content, expected) => {
    const [file] = statedFiles(namespace, payload(bundle('ORIGINAL', bitstream(url('a.pdf'), content))));
    const { access, availableAt } = file ?? {};
    expect({ ...(access && { access }), ...(availableAt && { availableAt }) }).toEqual(expected);
  });

  test.each([
    [field('value', 'open.access'), { access: 'open' }],
    [
      field('value', 'embargo') + field('embargo', '2031-05-01'),
      { access: 'embargoed', availableAt: '2031-05-01T00:00:00Z' },
    ],
    [
      field('value', 'embargo') + element('embargo', field('value', '2031-05-01')),
      { access: 'embargoed', availableAt: '2031-05-01T00:00:00Z' },
    ],
    [field('value', 'restricted'), { access: 'restricted' }],
    [field('value', 'metadata.only'), { access: 'restricted' }],
  ])('access of the item, DSpace 8: %s', (status, expected) => {
    const document = payload(
      bundle('ORIGINAL', bitstream(url('a.pdf'))),
      element('others', element('access-status', status)),
    );
    expect(statedFiles(namespace, document)).toMatchObject([expected]);
  });

  test('without bundles there are no files, and what was an OpenAIRE record has its own', () => {
    expect(statedUrls(namespace, payload(element('bundles')))).toEqual([]);
    const document = payload(
      element(
        'files',
        element(
          'file',
          field('accessRightsURI', 'http://purl.org/coar/access_right/c_abf2'),
          field('mimeType', 'application/pdf'),
          field('value', 'https://repo.example/bitstream/1/2/a%20b.pdf'),
        ),
      ),
    );
    expect(statedFiles(namespace, document)).toEqual([
      {
        url: 'https://repo.example/bitstream/1/2/a%20b.pdf',
        name: 'a b.pdf',
        mediaType: 'application/pdf',
        access: 'open',
      },
    ]);
  });
});

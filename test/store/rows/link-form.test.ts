import fc from 'fast-check';
import { expect, test } from 'vitest';
import { metadataPath } from '../../../src/core/uris.ts';
import { fromForm, parseReference, referTo, toForm } from '../../../src/store/rows/link-form.ts';
import { serializeLinks } from '../../../src/store/rows/representation-columns.ts';

const usual = (number: number, collection = 'col_1') => {
  const identifier = `oai:repo.example.org:123456789/${number}`;
  const path = metadataPath('kyushu', identifier, 'oai_dc');
  const links = serializeLinks([
    { rel: 'describes', href: `https://repo.example.org/handle/123456789/${number}` },
    { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
    { rel: 'canonical', href: path.replace('/oai_dc.xml', '') },
    { rel: 'alternate', href: metadataPath('kyushu', identifier, 'mods'), type: 'application/xml' },
    { rel: 'via', href: `https://repo.example.org/oai?identifier=${encodeURIComponent(identifier)}` },
    { rel: 'collection', href: `kyushu/collections/${collection}` },
  ]);
  return { path, links };
};

test('records of a collection have one form, and nothing of their own beside it', () => {
  const [one, other] = [usual(1), usual(4711)].map(({ links, path }) => toForm(links, path));
  expect(one).toBeDefined();
  expect(other).toEqual(one);
  expect(one?.rest).toBe('');
  const elsewhere = usual(1, 'col_2');
  expect(toForm(elsewhere.links, elsewhere.path)?.form).not.toBe(one?.form);
});

test('an address that has nothing of the record is beside the form', () => {
  const { path } = usual(7);
  const links = (doi: string) =>
    serializeLinks([
      { rel: 'describes', href: `https://doi.org/10.1234/${doi}` },
      { rel: 'describes', href: `${path.replace('/oai_dc.xml', '')}/files/1-${doi}.pdf` },
      { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
    ]);
  const [one, other] = ['abc', 'xyz'].map((doi) => toForm(links(doi), path));
  expect(one?.form).toBe(other?.form);
  expect(one?.rest).toBe('https://doi.org/10.1234/abc\n\u0001/files/1-abc.pdf');
  expect(fromForm(other?.form ?? '', other?.rest ?? '', path)).toBe(links('xyz'));
});

test('what is alone of its kind stays as it is: few links, a patch, a text that JSON escapes', () => {
  const { path } = usual(1);
  for (const link of [
    { rel: 'x', href: 'y' },
    { rel: 'patch', href: 'kyushu/patches/1-a-long-name-of-a-patch.xml', hash: 'sha-256:00', length: 3 },
    { rel: 'describes', href: 'https://repo.example.org/"quoted"/and/long/enough' },
    { rel: 'describes', href: `https://repo.example.org/\u0001/and/long/enough/for/a/form` },
    { rel: 'collection', href: `kyushu/collections/${'x'.repeat(3000)}` },
  ])
    expect(toForm(serializeLinks([link]), path)).toBeUndefined();
});

test('whatever the links, they come back to the letter, by their own path', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom(
      'kyushu/items/oai:a:1',
      'https://a/1',
      'https://a/x1',
      'oai%3Aa%3A1',
      '\u0001',
      '\n',
      '#',
    ),
  );
  const link = fc.record({ rel: fc.constantFrom('describes', 'via', 'collection', 'canonical'), href: text });
  const path = fc.constantFrom(
    'kyushu/items/oai:a:1/oai_dc.xml',
    'kyushu/items/1/files/1-a.pdf',
    'kyushu/items/~2E~2E/x.xml',
    'https://elsewhere.example.org/a.pdf',
  );
  fc.assert(
    fc.property(fc.array(link, { maxLength: 6 }), path, (links, own) => {
      const json = serializeLinks(links);
      const found = toForm(json, own);
      // As JSON writes it, however it was made: another text would be another form.
      if (found) expect(JSON.stringify(JSON.parse(found.form))).toBe(found.form);
      if (!found) return;
      const reference = parseReference(referTo('abcdefgh', found.rest));
      expect(reference).toEqual({ key: 'abcdefgh', rest: found.rest });
      expect(fromForm(found.form, found.rest, own)).toBe(json);
    }),
  );
});

import { describe, expect, test } from 'vitest';
import { embedded } from '../../src/oai/payload.ts';

const schema = 'http://example.org/schema.xsd';
const embed = (text: string) => embedded(Buffer.from(text), schema);
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

describe('A stored record in an answer', () => {
  test.each([
    [
      '\u{feff}<?xml version="1.0"?>\n<!DOCTYPE a>\n<!-- c --><a xmlns="urn:a">x</a><!-- d --><?p q?>\n',
      '>x</a>',
    ],
    ['<p:a xmlns:p="urn:a" b=">"/>', ' xmlns:p="urn:a" b=">"/>'],
    ["<a xmlns='urn:a'><!-- </a> --></a>", '><!-- </a> --></a>'],
  ])('is its root element: %s', (text, end) => {
    const found = embed(text) ?? '';
    expect(found).toMatch(new RegExp(`^<(p:)?a xmlns:xsi="${xsi}" xsi:schemaLocation="urn:a ${schema}"`));
    expect(found.endsWith(end)).toBe(true);
  });

  test('keeps a schemaLocation that it has, whatever its prefix', () => {
    const own = `<a xmlns="urn:a" xmlns:i="${xsi}" i:schemaLocation="urn:a b.xsd">x</a>`;
    expect(embed(own)).toBe(own);
    expect(embed(`<a xmlns="urn:a" xmlns:i="${xsi}">x</a>`)).toContain('<a i:schemaLocation="urn:a ');
    const strange = embed('<a xmlns="urn:a" xmlns:xsi="urn:mine">x</a>');
    expect(strange).toContain(`<a xmlns:oaixsi="${xsi}" oaixsi:schemaLocation="urn:a `);
  });

  test.each([
    '<a>no namespace</a>',
    '<p:a>undeclared</p:a>',
    '<a xmlns="">none</a>',
    '<a xmlns="http://www.openarchives.org/OAI/2.0/"/>',
    '<!DOCTYPE a [<!ENTITY e "f">]><a xmlns="urn:a">&e;</a>',
    '',
    'no XML',
    '<!-- only -->',
    '<a',
  ])('is none where it cannot stand: %s', (text) => {
    expect(embed(text)).toBeUndefined();
  });

  test('is none where it is no UTF-8', () => {
    expect(embedded(Buffer.from('<a xmlns="urn:a">\u{fc}</a>', 'latin1'), schema)).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { landingPage } from '../../../../adapters/oai-pmh/items/landing-page.ts';

const oaiDc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const dc = (...values: string[]) =>
  landingPage(
    oaiDc,
    `<oai_dc:dc>${values.map((value) => `<dc:identifier>${value}</dc:identifier>`).join('')}</oai_dc:dc>`,
  );

describe('The landing page', () => {
  test('of Dublin Core is its first identifier that is a page', () => {
    expect(
      dc(
        '10.1/x',
        'https://r.example/a/paper.pdf',
        'https://r.example/bitstream/1/2',
        ' http://hdl.handle.net/1/2 ',
      ),
    ).toBe('http://hdl.handle.net/1/2');
    expect(dc('https://doi.org/10.1234/foo.pdf')).toBe('https://doi.org/10.1234/foo.pdf');
    expect(dc('https://r.example/?a=1&amp;b=&#x32;&#50;')).toBe('https://r.example/?a=1&b=22');
    expect(dc('<![CDATA[https://r.example/?a&b]]>')).toBe('https://r.example/?a&b');
    expect(dc('https://図書館.example/頁 '.trim())).toBe('https://xn--lcss68aj21b.example/%E9%A0%81');
  });

  test('of EPrints is among the relations', () => {
    const record = (relation: string) =>
      landingPage(
        oaiDc,
        `<oai_dc:dc><dc:relation>${relation}</dc:relation><dc:identifier>https://r.example/17/1/a.pdf</dc:identifier></oai_dc:dc>`,
      );
    expect(record('https://r.example/17/')).toBe('https://r.example/17/');
    expect(record('https://r.example/id/eprint/17')).toBe('https://r.example/id/eprint/17');
    expect(record('https://publisher.example/science/article/pii/S17')).toBeUndefined();
  });

  test('of typed identifiers goes by the type', () => {
    const jpcoar = 'https://github.com/JPCOAR/schema/blob/master/2.0/';
    expect(
      landingPage(
        jpcoar,
        '<j><jpcoar:relatedIdentifier identifierType="URI">https://no.example/</jpcoar:relatedIdentifier><jpcoar:identifier identifierType="URI">https://r.example/1</jpcoar:identifier></j>',
      ),
    ).toBe('https://r.example/1');
    expect(
      landingPage(
        'http://datacite.org/schema/kernel-4',
        '<resource><identifier identifierType="DOI">10.5281/zenodo.1</identifier></resource>',
      ),
    ).toBe('https://doi.org/10.5281/zenodo.1');
    expect(
      landingPage(
        'http://www.loc.gov/mods/v3',
        '<mods><relatedItem><location><url>https://no.example/</url></location></relatedItem><location><url access="preview">https://no.example/2</url><url access="object in context">https://r.example/2</url></location></mods>',
      ),
    ).toBe('https://r.example/2');
    expect(landingPage('http://www.loc.gov/METS/', '<mets/>')).toBeUndefined();
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.example/ b',
    'https://a.example/\u0007',
    'https://user:secret@a.example/',
    'https:\\\\a.example\\',
    'https://',
    `https://a.example/${'x'.repeat(2_100)}`,
    'ftp://a.example/',
  ])('is never %s', (value) => {
    expect(dc(value)).toBeUndefined();
  });

  test('is plain ASCII that needs no escaping, or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (tail) => {
        const page = dc(`https://a.example/${tail.replace(/[<&]/g, '')}`);
        if (page !== undefined)
          expect(page).toMatch(/^https:\/\/a\.example[/?#][A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/);
      }),
      { seed: 20_261_121 },
    );
  });
});

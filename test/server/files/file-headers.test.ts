import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filePath } from '../../../src/core/uris.ts';
import { contentTypeOf, fileHeaders, fileName } from '../../../src/server/files/file-headers.ts';

const disposition = (name: string, type = 'application/pdf') =>
  fileHeaders(filePath('kyushu', 'oai:x:1', 1, name), type)['content-disposition'];

describe('the name that a file is offered under', () => {
  it.each([
    ['Tsigaridis et al., 2022.pdf', 'inline; filename="Tsigaridis et al., 2022.pdf"'],
    ['図書.pdf', `inline; filename="__.pdf"; filename*=UTF-8''%E5%9B%B3%E6%9B%B8.pdf`],
    ['../../etc/passwd', `inline; filename="_.._etc_passwd"`],
    ['C:\\a.pdf', 'inline; filename="C:_a.pdf"'],
    ['a"b;c%.pdf', `inline; filename="a_b_c_.pdf"; filename*=UTF-8''a%22b%3Bc%25.pdf`],
    ['a\r\nSet-Cookie: x=y.pdf', 'inline; filename="a_Set-Cookie: x=y.pdf"'],
    ['cod\u202efdp.exe', 'inline; filename="cod_fdp.exe"'],
    ['', 'inline; filename="1-"'],
    ['...', 'inline; filename="file"'],
  ])('is safe: %j', (name, field) => {
    expect(disposition(name)).toBe(field);
  });

  it('is the beginning of one that is too long for an address', () => {
    expect(disposition('é'.repeat(300))).toMatch(/^inline; filename="_+"; filename\*=UTF-8''(%C3%A9)+$/);
  });

  it('is printable ASCII within two parameters, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        expect(disposition(name)).toMatch(
          /^inline; filename="[\x20\x21\x23-\x7e]+"(?:; filename\*=UTF-8''[A-Za-z0-9%._~!-]+)?$/,
        );
      }),
    );
  });

  it('of a file elsewhere is the end of its address', () => {
    expect(fileName('https://h/record/1/files/%E5%9B%B3.pdf?download=1')).toBe('図.pdf');
    expect(fileName('https://h/%zz')).toBe('%zz');
    expect(fileName('https://h/')).toBe('https://h/');
  });
});

describe('what may be active', () => {
  it('is sandboxed; a PDF, whose viewers refuse that, is not', () => {
    const policy = (type: string) => fileHeaders('kyushu/items/x/files/1-a', type)['content-security-policy'];
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'application/pdfx',
      'application/pdf+xml',
      'application/PDF+xml; charset=utf-8',
      'application/pdf-html',
      'application/pdf.xml',
      'application/pdf/html',
      'application/pdf, text/html',
      'application/pdf;a=b, text/html',
      'application/pdf text/html',
      ' application/pdf',
      'text/application/pdf',
      'x/y',
      '',
    ])
      expect(policy(type), type).toMatch(/^sandbox; default-src 'none'/);
    for (const type of [
      'application/pdf',
      'Application/PDF',
      'application/pdf;version=1.7',
      'application/pdf ; x=y',
    ])
      expect(policy(type), type).not.toContain('sandbox');
  });
});

describe('the media type of a file', () => {
  it.each([
    ['image/png', 'image/png', 'image/png'],
    ['text/plain; charset="utf-8"', 'text/plain', 'text/plain; charset="utf-8"'],
    ['application/octet-stream', 'application/pdf', 'application/pdf'],
    ['application/force-download', 'application/pdf', 'application/pdf'],
    [undefined, 'application/pdf', 'application/pdf'],
    ['pdf', undefined, 'application/octet-stream'],
    ['text/html\r\nX: y', 'text/csv', 'text/csv'],
    [undefined, 'a b', 'application/octet-stream'],
  ])('said as %j and stated as %j is %s', (said, stated, type) => {
    expect(contentTypeOf(said, stated)).toBe(type);
  });
});

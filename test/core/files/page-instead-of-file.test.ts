import { describe, expect, it } from 'vitest';
import { isPageInsteadOfFile } from '../../../src/core/files/page-instead-of-file.ts';

const asked = 'https://repo.example.org/bitstream/1/a.pdf';
const pdf = { name: 'a.pdf', mediaType: 'application/pdf' };

describe('a page in place of a file', () => {
  it.each([
    ['HTML for a PDF', 'text/html; charset=utf-8', asked, pdf],
    ['XHTML for a PDF', 'Application/XHTML+XML', asked, pdf],
    ['HTML for what nobody describes', 'text/html', asked, { name: 'download' }],
    ['HTML for a vague type', 'text/html', asked, { name: 'a.zip', mediaType: 'application/octet-stream' }],
    [
      'a login for an HTML file',
      'text/html',
      'https://h/Login.aspx?to=x',
      { name: 'a.html', mediaType: 'text/html' },
    ],
    ['an identity provider', 'text/html', 'https://idp.example.org/x', { name: 'a.html' }],
    ['Shibboleth', 'text/html', 'https://h/Shibboleth.sso/Login', { name: 'a.html' }],
  ])('is %s', (_, contentType, answered, stated) => {
    expect(isPageInsteadOfFile({ asked, answered, contentType }, stated)).toBe(true);
  });

  it.each([
    ['a PDF', 'application/pdf', asked, pdf],
    ['what says nothing of itself', undefined, asked, pdf],
    ['an HTML file that is one', 'text/html', asked, { name: 'x', mediaType: 'text/html' }],
    ['an HTML file by its name', 'text/html', asked, { name: 'thesis.HTM' }],
    ['an HTML file elsewhere', 'text/html', 'https://h/blogs/logic.html', { name: 'a.html' }],
  ])('is not %s', (_, contentType, answered, stated) => {
    expect(isPageInsteadOfFile({ asked, answered, contentType }, stated)).toBe(false);
  });

  it('is not what is sent to be kept, unless a login sends it', () => {
    const answer = {
      asked,
      answered: asked,
      contentType: 'text/html',
      contentDisposition: 'attachment; filename=a',
    };
    expect(isPageInsteadOfFile(answer, pdf)).toBe(false);
    expect(isPageInsteadOfFile({ ...answer, answered: 'https://h/sso/' }, pdf)).toBe(true);
  });

  it('is what is sent to be kept, and is neither what the file is said to be nor as long', () => {
    const answer = {
      asked,
      answered: asked,
      contentType: 'text/html',
      contentDisposition: 'attachment; filename=a',
      length: 95,
    };
    const isPage = (stated: object, more: object = {}) =>
      isPageInsteadOfFile({ ...answer, ...more }, { name: 'a.pdf', ...stated });
    const known = { mediaType: 'application/pdf', length: 4000 };
    expect(isPage(known)).toBe(true);
    expect(isPage({ ...known, length: 95 })).toBe(false);
    expect(isPage({ ...known, length: undefined })).toBe(false);
    expect(isPage(known, { length: undefined })).toBe(false);
    expect(isPage({ ...known, mediaType: 'text/html' })).toBe(false);
    expect(isPage({ ...known, mediaType: 'application/octet-stream' })).toBe(false);
    expect(isPage({ ...known, mediaType: undefined })).toBe(false);
    // It is another file by now.
    expect(isPage(known, { contentType: 'application/pdf' })).toBe(false);
  });
});

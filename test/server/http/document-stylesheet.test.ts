import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { documentPolicy } from '../../../src/server/http/document-stylesheet.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
  await house.publication.stage('kyushu/resourcelist.xml', '<urlset/>');
});
afterEach(() => house.close());

const path = '/static/resourcesync.css';

describe('the stylesheet of the documents', () => {
  it('is CSS with validators, open to every origin', async () => {
    const { statusCode, headers, body } = await house.app.inject({ url: path });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(Buffer.byteLength(body)).toBe(Number(headers['content-length']));
    const again = await house.app.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } });
    expect(again.statusCode).toBe(304);
    const head = await house.app.inject({ method: 'HEAD', url: path });
    expect([head.statusCode, head.headers.etag, head.body]).toEqual([200, headers.etag, '']);
  });

  it('loads nothing itself, and knows both kinds of documents, both namespaces, light and dark', async () => {
    const { body } = await house.app.inject({ url: path });
    expect(body).not.toMatch(/@import|url\(/);
    expect(body).toContain('@namespace s "http://www.sitemaps.org/schemas/sitemap/0.9"');
    expect(body).toContain('@namespace rs "http://www.openarchives.org/rs/terms/"');
    for (const part of ['s|urlset', 's|sitemapindex', 'light-dark(', 'content-visibility:auto', '@media']) {
      expect(body).toContain(part);
    }
    expect(body.split('{').length).toBe(body.split('}').length);
  });

  it('is all that the policy of a document lets in', async () => {
    const { headers } = await house.app.inject({ url: '/kyushu/resourcelist.xml' });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src https://bridge.example.org/rs/static/resourcesync.css; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    // A comma or semicolon of an address would end the policy.
    expect(documentPolicy('https://e.org/a;b,c')).toContain('style-src https://e.org/a%3Bb%2Cc/static/');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetSecrets, hasSecret, keepSecret, redact, redactKnown } from '../../src/core/secrets.ts';

beforeEach(forgetSecrets);
afterEach(forgetSecrets);

describe('a secret', () => {
  it.each([
    ['s3cr3t+/value', (text: string) => text],
    ['s3cr3t"value\\', (text: string) => JSON.stringify({ text })],
    ['s3cr3t wört & <more>', (text: string) => encodeURIComponent(text)],
    ['s3cr3t wört & <more>', (text: string) => new URLSearchParams({ q: text }).toString()],
    ['s3cr3t&value', (text: string) => `<loc>${text.replace('&', '&amp;')}</loc>`],
    ["s3cr3t|'value'", (text: string) => new URL(`https://h/${text}`).href],
    ["s3cr3t|'value'", (text: string) => new URL(`https://h/?q=${text}`).href],
    ['S3cr3t%2F', (text: string) => text.toLowerCase()],
    ['ends in half a character \ud800', (text: string) => JSON.stringify(text)],
  ])('%s is found in every form', (secret, write) => {
    keepSecret(secret);
    expect(redact(`before ${write(secret)} after`)).toContain('[secret]');
    expect(redact(`before ${write(secret)} after`)).not.toMatch(/s3cr3t/i);
  });

  it('that is a word, or nearly nothing, leaves texts as they are', () => {
    for (const value of ['', '1', 'true', '8080', 'oai', 'de_DE']) keepSecret(value);
    expect(redact('true for oai at 8080, in de_DE')).toBe('true for oai at 8080, in de_DE');
  });

  it('has six characters at least, and those at its ends are none', () => {
    keepSecret(' s3cr3t\n');
    expect([redact('s3cr3t'), redact('s3cr3 S3CR3T.')]).toEqual(['[secret]', 's3cr3 [secret].']);
    expect(['s3cr3t', 's3cr3', ''].map(hasSecret)).toEqual([true, false, false]);
  });

  it('is what an address calls so, and what stands before its @', () => {
    expect(redact('https://h/oai?verb=Identify&api_key=abc&x=1')).toBe(
      'https://h/oai?verb=Identify&api_key=[secret]&x=1',
    );
    expect(redact('https://u:p@h/x and postgres://u:p@h/db')).toBe('https://h/x and postgres://h/db');
    expect(redact('{"url":"https://h/?token=abc\\"def"}')).toBe('{"url":"https://h/?token=[secret]\\"def"}');
    expect(redact('verb=ListRecords&resumptionToken=abc')).toBe('verb=ListRecords&resumptionToken=abc');
    expect(redact('write to a@b.org')).toBe('write to a@b.org');
    expect(redactKnown('https://h/?token=abc')).toBe('https://h/?token=abc');
  });

  it('is masked once, also where it is a part of what an address calls so', () => {
    keepSecret('s3cr3t-token');
    expect(redact('https://h/?token=s3cr3t-token&x=1')).toBe('https://h/?token=[secret]&x=1');
    expect(redact('https://h/?token=as3cr3t-tokenb)')).toBe('https://h/?token=[secret])');
  });

  it('makes an address one that is not shown', () => {
    keepSecret('abcdef123');
    expect(
      ['https://h/abcdef123/oai', 'https://u@h/', 'https://h/?access_token=x', 'https://h/oai?verb=x'].map(
        hasSecret,
      ),
    ).toEqual([true, true, true, false]);
  });
});

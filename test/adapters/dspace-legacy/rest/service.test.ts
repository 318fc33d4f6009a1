import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LegacyRest } from '../../../../adapters/dspace-legacy/rest/rest-service.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  adapterAt,
  type LegacyRepository,
  pagesOf,
  serve,
  topCommunity,
} from '../../../house/adapters/legacy-repository.ts';
import { provide } from '../../../house/adapters/scripted-provider.ts';
import { sharedMaterial } from '../../../house/adapters/shared-material.ts';

const signal = AbortSignal.timeout(180_000);
const articles = { id: 7, handle: '1/10', name: 'Articles', community: topCommunity };
const five: LegacyRepository = {
  collections: [articles],
  items: [
    {
      id: 14301,
      handle: '1/100',
      title: 'Of DSpace 5',
      collections: ['7'],
      lastModified: '2015-01-12 15:44:12.978',
      bitstreams: [
        {
          id: 4187,
          name: 'a.pdf',
          type: 'bitstream',
          bundleName: 'ORIGINAL',
          retrieveLink: 'http://evil.example.com/x',
          sequenceId: -1,
        },
      ],
    },
  ],
};

describe('the service', () => {
  test('is found at the address and below it', async () => {
    const { url } = await serve(five);
    const { origin } = new URL(url);
    for (const given of [origin, `${origin}/`, `${origin}/rest`, `${origin}/rest/`]) {
      const { adapter } = adapterAt(given);
      expect(await adapter.identify(signal)).toMatchObject({
        name: 'Old & Good',
        protocol: 'DSpace REST (legacy)',
        protocolVersion: '6.3',
        baseUrl: `${origin}/rest`,
        triage: 'each',
        deletedRecords: 'no',
      });
    }
  });

  test('may be under another path, whatever its links say', async () => {
    const { url } = await serve({ ...five, path: '/econis-archiv/rest' });
    const base = new URL('/econis-archiv/rest', url).href;
    const [item] = (await pagesOf(adapterAt(base, { timeZone: 'Europe/Berlin' }).adapter)).flatMap(
      ({ items }) => items,
    );
    expect(item).toMatchObject({
      identifier: 'oai:old.example.org:1/100',
      datestamp: '2015-01-12T14:44:12Z',
    });
    expect(item?.files).toEqual([
      { url: `${base}/bitstreams/4187/retrieve`, name: 'a.pdf', sequence: 1, access: 'open' },
    ]);
  });

  test('is none where a user interface answers', async () => {
    const { url } = await provide(() => ({
      headers: { 'content-type': 'text/html' },
      body: '<!DOCTYPE html><p>Hello',
    }));
    await expect(adapterAt(url).adapter.identify(signal)).rejects.toMatchObject({
      code: 'upstream-protocol',
    });
  });

  test("'s errors are told from those of something before it", async () => {
    const page = (status: number, body: string) => ({
      status,
      headers: { 'content-type': 'text/html' },
      body,
    });
    const { url } = await provide((_query, _nth, raw) => {
      if (raw.endsWith('/test')) return 'REST api is running.';
      if (raw.endsWith('/tomcat'))
        return page(403, '<!doctype html><title>HTTP Status 403 – Forbidden</title>');
      return page(403, '<!doctype html><title>Checking your browser</title>');
    });
    const rest = await LegacyRest.open({ url }, createContext(), signal);
    await expect(rest.get('/tomcat', [], signal)).rejects.toMatchObject({ status: 403, isSpoken: true });
    await expect(rest.get('/items/1', [], signal)).rejects.toMatchObject({ status: 403, isSpoken: false });
  });

  test('answers in JSON or not at all', async () => {
    const { url } = await provide((_query, _nth, raw) =>
      raw.endsWith('/test')
        ? 'REST api is running.'
        : raw.endsWith('/xml')
          ? '<?xml version="1.0"?><items/>'
          : '{"a":',
    );
    const rest = await LegacyRest.open({ url }, createContext(), signal);
    await expect(rest.get('/xml', [], signal)).rejects.toMatchObject({ code: 'upstream-not-json' });
    await expect(rest.get('/cut', [], signal)).rejects.toMatchObject({ code: 'upstream-not-json' });
  });

  test('hides no OAI-PMH endpoint that is out of order', async () => {
    const { url } = await provide((_query, _nth, raw) =>
      raw.startsWith('/rest/test')
        ? 'REST api is running.'
        : { status: raw.startsWith('/oai') ? 502 : 404, body: '' },
    );
    const { adapter, context } = adapterAt(new URL('/rest', url).href);
    await expect(adapter.identify(signal)).rejects.toThrow(/oai: false/);
    expect(context.lessons.get('oai-host')).toBeUndefined();
  });
});

const legacy = sharedMaterial('fixtures/dspace/legacy');

describe.skipIf(legacy === undefined)("DSpace 6.3's own error pages", () => {
  test.each([
    ['v6_error_401_login.html', 401],
    ['v6_error_404.html', 404],
    ['v6_error_500_unknown_handle.html', 500],
  ])('%s', async (name, status) => {
    const body = readFileSync(join(legacy ?? '', name), 'utf8');
    const { url } = await provide((_query, _nth, raw) =>
      raw.endsWith('/status')
        ? readFileSync(join(legacy ?? '', 'v6_status.json'), 'utf8')
        : { status, headers: { 'content-type': 'text/html;charset=utf-8' }, body },
    );
    const rest = await LegacyRest.open({ url }, createContext(), signal);
    await expect(rest.get('/handle/1/1', [], signal)).rejects.toMatchObject({ status, isSpoken: true });
  });
});

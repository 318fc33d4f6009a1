import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toSegment } from '../../../src/core/segment.ts';
import { html } from '../../../src/server/html/html.ts';
import { palette } from '../../../src/server/html/stylesheet.ts';
import { createReader } from '../../../src/server/words/reader.ts';
import { ensureSource, findSource, saveInfo } from '../../../src/store/sources/sources.ts';
import {
  type House,
  now,
  openHouse,
  publishedSet,
  seedResource,
  sourceOverview,
} from '../../house/server/fixture.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const base = 'https://bridge.example.org/rs';
const hostile = `<script>alert(1)</script>"'&`;

async function page(url: string) {
  const { statusCode, headers, body } = await house.app.inject({ url, headers: { accept: 'text/html' } });
  return { status: statusCode, headers, body };
}

async function json(url: string) {
  return (await house.app.inject({ url, headers: { accept: 'application/json' } })).json();
}

/** What no page of ours may have, whatever names and titles are. */
function expectNothingForeign(body: string) {
  expect(body).not.toMatch(/<script|<iframe|<img|\son\w+=|\sstyle=/i);
  expect(Buffer.byteLength(body)).toBeLessThan(40_000);
}

describe('the home page', () => {
  it('teaches while there is nothing to show', async () => {
    const { status, body } = await page('/');
    expect(status).toBe(200);
    expect(body).toContain('No sources yet.');
    expect(body).toContain('rsbridge init URL');
    expect(body).toContain('Nothing is published yet.');
  });

  it('says of each source what it is doing, and of each document how fresh it is', async () => {
    house.sources.push(
      sourceOverview({ state: 'reads page 12', problem: '503 from server', healthy: false }),
    );
    house.publication.published.push(publishedSet(), publishedSet('kyushu/metadata'));
    await house.publication.stage('.well-known/resourcesync', '<urlset/>');
    const { body } = await page('/');
    for (const text of [
      'University of Example',
      'reads page 12',
      '503 from server',
      'needs attention',
      '2,418 items',
    ]) {
      expect(body).toContain(text);
    }
    expect(body).toContain(`<a href="${base}/kyushu/resourcelist.xml">Resource List</a>`);
    expect(body).toContain(`<a href="${base}/kyushu/changelist-index.xml">Change List Index</a>`);
    expect(body).toContain('<td class="n">6,902</td><td class="n">1.2 kB</td>');
    expect(body).toContain(
      '<time datetime="2026-11-21T11:57:00Z">3 minutes ago</time> <span class="soft">2026-11-21 11:57 UTC</span>',
    );
    expect(body).toContain('in 12 minutes');
    expect(body).toContain(`href="${base}/.well-known/resourcesync"`);
    // Closed lists and parts grow without end; they are reached through their index.
    expect(body).not.toContain('20261101T000000Z');
    expectNothingForeign(body);
  });

  it('tells one story with /readyz while the first harvest goes on', async () => {
    house.sources.push(
      sourceOverview({ harvesting: true, state: 'first harvest under way: 12 records so far' }),
    );
    const ready = await house.app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toMatchObject({
      checks: {
        publication: { ok: false, detail: 'nothing is published yet: the first harvest has not finished' },
      },
      sources: { kyushu: { ok: true, harvesting: true, detail: expect.stringContaining('first harvest') } },
    });
    const { body } = await page('/');
    expect(body.match(/<span class="s">harvesting<\/span>/g)).toHaveLength(2);
    expect(body).not.toContain('>healthy<');
    expect(await json('/')).toMatchObject({
      healthy: true,
      harvesting: true,
      sources: [{ harvesting: true }],
    });
    house.sources.push(sourceOverview({ name: 'other', healthy: false }));
    expect((await page('/')).body).toContain(
      '<h1>University of Example</h1><span class="s warn">needs attention',
    );
  });

  it('is the same object as JSON', async () => {
    house.sources.push(sourceOverview());
    house.publication.published.push(publishedSet());
    const view = await json('/');
    expect(view).toMatchObject({
      title: 'University of Example',
      version: '1.2.3',
      at: now,
      healthy: true,
      sources: [{ name: 'kyushu', items: 2418 }],
    });
    expect(view.sets[0]).toMatchObject({ path: 'kyushu', about: `${base}/kyushu/about` });
    expect(view.sets[0].documents[1]).toMatchObject({
      uri: `${base}/kyushu/resourcelist.xml`,
      entries: 6902,
    });
    const asked = await house.app.inject({ url: '/?format=json', headers: { accept: 'text/html' } });
    expect(asked.json()).toEqual(view);
    expect(asked.headers.vary).toBe('Accept');
  });

  it('has a policy that lets nothing in but its own stylesheet', async () => {
    const { headers, body } = await page('/');
    const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    // Pages say more than is published, and are read on the institution's own network: not for other origins.
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('shows hostile titles and names as text', async () => {
    house.sources.push(sourceOverview({ title: hostile, state: hostile, problem: hostile }));
    house.publication.published.push(publishedSet());
    const { body } = await page('/');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    expectNothingForeign(body);
  });
});

describe('the about pages', () => {
  it('of the Source names its sets', async () => {
    house.sources.push(sourceOverview());
    expect((await page('/about')).body).toContain(`<a href="${base}/kyushu/metadata/about">`);
    expect(await json('/about')).toMatchObject({
      uri: `${base}/about`,
      sets: [{ path: 'kyushu' }, { path: 'kyushu/metadata' }],
    });
  });

  it('of a set say where it comes from and how to synchronise this very set', async () => {
    house.sources.push(sourceOverview());
    house.publication.published.push(publishedSet('kyushu/metadata'));
    await ensureSource(house.database, 'kyushu', now);
    const source = await findSource(house.database.reader, 'kyushu');
    await saveInfo(house.database.writer, source?.id ?? 0, {
      name: hostile,
      protocol: 'OAI-PMH',
      protocolVersion: '2.0',
      baseUrl: 'javascript:alert(1)',
      deletedRecords: 'no',
      granularity: 'second',
      formats: [],
    });
    const view = await json('/kyushu/metadata/about');
    expect(view).toMatchObject({
      path: 'kyushu/metadata',
      resources: 6902,
      upstream: { name: hostile, protocol: 'OAI-PMH 2.0' },
    });
    const list = `--sitemap ${base}/kyushu/metadata/resourcelist.xml`;
    expect(view.synchronise).toEqual({
      baseline: `resync-sync --baseline ${list} ${base}/kyushu=kyushu-metadata`,
      incremental: `resync-sync --incremental --delete ${list} --changelist-uri ${base}/kyushu/metadata/changelist.xml ${base}/kyushu=kyushu-metadata`,
    });
    const { body } = await page('/kyushu/metadata/about');
    expect(body).toContain(view.synchronise.baseline);
    expect(body).not.toContain('href="javascript:');
    expectNothingForeign(body);
  });

  it('of a set name what clients that refuse dumps begin with', async () => {
    house.sources.push(sourceOverview());
    house.publication.published.push(publishedSet());
    expect(await json('/kyushu/about')).not.toHaveProperty('withoutDumps');
    await house.publication.stage('kyushu/lists/capabilitylist.xml', '<urlset/>');
    const { withoutDumps } = await json('/kyushu/about');
    expect(withoutDumps).toEqual({
      capabilityList: `${base}/kyushu/lists/capabilitylist.xml`,
      sourceDescription: `${base}/kyushu/lists/.well-known/resourcesync`,
    });
    const { body } = await page('/kyushu/about');
    expect(body).toContain(`<a href="${withoutDumps.capabilityList}">`);
    expect(body).toContain(`<a href="${withoutDumps.sourceDescription}">`);
    expectNothingForeign(body);
  });

  it('of a set that is not published yet say so', async () => {
    house.sources.push(sourceOverview());
    expect((await page('/kyushu/about')).body).toContain('Nothing is published yet');
  });

  it.each(['/about', '/kyushu/about', '/kyushu/metadata/about'])(
    'may be read by scripts of other sites, as the documents that lead to them may: %s',
    async (url) => {
      house.sources.push(sourceOverview());
      const asked = { origin: 'https://reader.example.org', 'access-control-request-method': 'GET' };
      const preflight = await house.app.inject({ method: 'OPTIONS', url, headers: asked });
      expect(preflight).toMatchObject({ statusCode: 204, headers: { 'access-control-allow-origin': '*' } });
      for (const method of ['GET', 'HEAD'] as const) {
        const { statusCode, headers } = await house.app.inject({ method, url });
        expect([statusCode, headers['access-control-allow-origin']]).toEqual([200, '*']);
      }
    },
  );

  it.each(['/nobody/about', '/kyushu/files/about', '/a/b/c/about', '/a/b/c/d/about'])(
    'of an unknown set are not found: %s',
    async (url) => {
      house.sources.push(sourceOverview());
      expect((await page(url)).status).toBe(404);
    },
  );
});

describe('a collection (what rel="collection" points to)', () => {
  it('has a name, a count and its members, a hundred a page', async () => {
    for (let index = 0; index < 103; index += 1) {
      const identifier = `oai:r:${String(index).padStart(3, '0')}`;
      await seedResource(house.database, { identifier, collections: ['col:1/2'] });
    }
    await seedResource(house.database, {
      identifier: 'oai:r:gone',
      collections: ['col:1/2'],
      deletedAt: now,
    });
    const first = await json('/kyushu/collections/col:1~2F2');
    expect(first).toMatchObject({
      uri: `${base}/kyushu/collections/col:1~2F2`,
      spec: 'col:1/2',
      name: 'Collection col:1/2',
      count: 103,
      about: `${base}/kyushu/about`,
    });
    expect(first.resources).toHaveLength(100);
    expect(first.resources[0]).toBe(`${base}/kyushu/items/oai:r:000/oai_dc.xml`);
    const second = await json(first.next.slice(base.length));
    expect(second.resources).toEqual(
      ['100', '101', '102'].map((n) => `${base}/kyushu/items/oai:r:${n}/oai_dc.xml`),
    );
    expect(second.next).toBeUndefined();
    const { body } = await page('/kyushu/collections/col:1~2F2');
    expect(body).toContain('103 resources');
    expect(body).toContain('rel="next"');
    expectNothingForeign(body);
  });

  it('is found under an address that was shortened', async () => {
    const spec = 'x'.repeat(300);
    await seedResource(house.database, { collections: [spec] });
    expect(await json(`/kyushu/collections/${toSegment(spec)}`)).toMatchObject({ spec, count: 1 });
  });

  it('with a hostile name shows it as text', async () => {
    await seedResource(house.database, { collections: ['c'] });
    await house.database.writer('collection').update({ name: hostile, description: hostile });
    expectNothingForeign((await page('/kyushu/collections/c')).body);
    expect(await json('/kyushu/collections/c')).toMatchObject({ name: hostile });
  });

  it('is not found in another source or under another spelling', async () => {
    await seedResource(house.database, { collections: ['c'] });
    for (const url of ['/other/collections/c', '/kyushu/collections/C', '/kyushu/collections/~63']) {
      expect((await page(url)).status).toBe(404);
    }
  });
});

describe('html', () => {
  it('escapes everything but markup', () => {
    expect(html`<p title="${`"'<>&`}">${[html`<b>`, '<i>']}${undefined}${0}</p>`.text).toBe(
      '<p title="&quot;&#39;&lt;&gt;&amp;"><b>&lt;i&gt;0</p>',
    );
  });

  it('has a contrast of at least 4.5 for every ink on every ground', () => {
    for (const theme of [0, 1] as const) {
      for (const ink of ['ink', 'soft', 'accent', 'ok', 'warn'] as const) {
        for (const ground of ['bg', 'card'] as const) {
          expect(contrast(palette[ink][theme], palette[ground][theme])).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  });
});

describe('numbers and times are worded once', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [31_400_000, '31 MB'],
    [999_999, '1.0 MB'],
    [18_200_000_000, '18 GB'],
  ])('%i is %s', (bytes, text) => {
    expect(createReader('en').size(bytes)).toBe(text);
  });

  it.each([
    ['2026-11-21T12:00:00Z', 'just now'],
    ['2026-11-21T11:58:59Z', '1 minute ago'],
    ['2026-11-21T09:00:00Z', '3 hours ago'],
    ['2026-11-20T11:00:00Z', 'yesterday'],
    ['2026-11-01T12:00:00Z', '20 days ago'],
    ['2026-11-21T12:00:30Z', 'in a moment'],
    ['2026-11-21T12:15:00Z', 'in 15 minutes'],
  ])('%s is %s', (iso, text) => {
    expect(createReader('en').age(iso, now)).toBe(text);
  });
});

/** WCAG 2 contrast ratio. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) =>
    [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

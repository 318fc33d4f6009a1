import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type House,
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

describe('/livez', () => {
  it('answers while the process does, database or not', async () => {
    await house.database.close();
    const { statusCode, body, headers } = await house.app.inject('/livez');
    expect([statusCode, body]).toEqual([200, 'ok\n']);
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('/readyz', () => {
  it('is not ready while nothing is published', async () => {
    const { statusCode, json } = await house.app.inject('/readyz');
    expect(statusCode).toBe(503);
    expect(json()).toMatchObject({
      ready: false,
      checks: { database: { ok: true }, publication: { ok: false, detail: 'nothing is published yet' } },
    });
  });

  it('is ready with a source that needs attention, and names it', async () => {
    house.publication.published.push(publishedSet());
    house.sources.push(
      sourceOverview(),
      sourceOverview({ name: 'kyoto', healthy: false, state: 'refused to delete' }),
    );
    const { statusCode, json } = await house.app.inject('/readyz');
    expect(statusCode).toBe(200);
    expect(json()).toMatchObject({
      ready: true,
      sources: { kyushu: { ok: true }, kyoto: { ok: false, detail: 'refused to delete' } },
    });
  });

  it('is not ready without its database', async () => {
    house.publication.published.push(publishedSet());
    await house.database.close();
    const { statusCode, json } = await house.app.inject('/readyz');
    expect(statusCode).toBe(503);
    expect(json()).toMatchObject({
      ready: false,
      checks: { database: { ok: false }, publication: { ok: true } },
    });
  });
});

describe('/metrics', () => {
  it('is in the Prometheus text format, with bounded labels', async () => {
    house.publication.published.push(publishedSet());
    house.sources.push(sourceOverview());
    const { path } = await seedResource(house.database);
    await house.app.inject(`/${path}`);
    await house.app.inject('/some/unknown/path');
    await house.app.inject('/another/unknown/path');
    await house.app.inject({ url: '/', method: 'POST' });
    const { headers, body } = await house.app.inject('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = body.trimEnd().split('\n');
    for (const line of lines) {
      expect(line).toMatch(/^(|# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\n]*",?)+\})? ([0-9.e+-]+|Na[Nn]))$/);
    }
    expect(lines).toContain('rsbridge_http_requests_total{operation="getResource",status="2xx"} 1');
    expect(lines).toContain('rsbridge_http_requests_total{operation="getDocument",status="4xx"} 2');
    expect(lines).toContain('rsbridge_http_request_duration_seconds_count{operation="getDocument"} 2');
    expect(lines).toContain(
      'rsbridge_http_request_duration_seconds_bucket{le="+Inf",operation="getDocument"} 2',
    );
    expect(lines).toContain('rsbridge_resources{source="kyushu"} 6902');
    expect(lines).toContain('rsbridge_last_success_timestamp_seconds{source="kyushu"} 1795262220');
    expect(lines).toContain('rsbridge_published_entries{document="kyushu/resourcelist.xml"} 6902');
    expect(body).not.toContain('20261101T000000Z');
    expect(body).not.toContain('unknown/path');
    expect(body).toMatch(/^process_resident_memory_bytes \d+$/m);
    const names = lines.flatMap((line) => /^# TYPE (\w+ \w+)$/.exec(line)?.[1] ?? []);
    expect(names.filter((name) => name.startsWith('rsbridge_')).toSorted()).toEqual([
      'rsbridge_http_request_duration_seconds histogram',
      'rsbridge_http_requests_total counter',
      'rsbridge_info gauge',
      'rsbridge_items gauge',
      'rsbridge_last_success_timestamp_seconds gauge',
      'rsbridge_published_entries gauge',
      'rsbridge_recent_changes gauge',
      'rsbridge_resources gauge',
      'rsbridge_source_healthy gauge',
      'rsbridge_uptime_seconds gauge',
    ]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('nodejs_eventloop_lag_seconds gauge');
  });

  it('still measures the process when the sources cannot be read', async () => {
    const failing = await openHouse({ sources: () => Promise.reject(new Error('no database')) });
    const { statusCode, body } = await failing.app.inject('/metrics');
    expect(statusCode).toBe(200);
    expect(body).toContain('process_resident_memory_bytes');
    expect(failing.log).toContainEqual(expect.objectContaining({ msg: 'metrics are incomplete' }));
    await failing.close();
  });
});

describe('/robots.txt', () => {
  it('names the Resource List of each published set and nothing else (RS-DISC-09, RS-DISC-10, RS-DISC-12)', async () => {
    house.publication.published.push(publishedSet(), publishedSet('kyushu/metadata'));
    const { body } = await house.app.inject('/robots.txt');
    expect(body).toBe(
      'User-agent: *\nDisallow:\nSitemap: https://bridge.example.org/rs/kyushu/resourcelist.xml\nSitemap: https://bridge.example.org/rs/kyushu/metadata/resourcelist.xml\n',
    );
  });

  it('names none when it shall not', async () => {
    const quiet = await openHouse({ robots: false });
    quiet.publication.published.push(publishedSet());
    expect((await quiet.app.inject('/robots.txt')).body).toBe('User-agent: *\nDisallow:\n');
    await quiet.close();
  });
});

describe('HEAD', () => {
  it.each(['/', '/about', '/robots.txt', '/livez', '/readyz', '/nowhere'])(
    'of %s is GET without a body',
    async (url) => {
      const [get, head] = [await house.app.inject(url), await house.app.inject({ url, method: 'HEAD' })];
      expect(head.statusCode).toBe(get.statusCode);
      expect(head.body).toBe('');
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    },
  );
});

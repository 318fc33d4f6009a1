import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAdapter } from '../../adapters/index.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { createRecords } from '../../src/demo/records/records.ts';
import { createSampleRepository } from '../../src/demo/sample-repository.ts';
import { runFileJob } from '../../src/harvest/files/file-job.ts';
import { harvest } from '../../src/harvest/harvest.ts';
import { createHostGate } from '../../src/harvest/http/host-gate.ts';
import { createHttp } from '../../src/harvest/http/http.ts';
import { createLessonBook } from '../../src/harvest/lessons.ts';
import { withLinks } from '../../src/store/rows/link-forms.ts';
import { silent } from '../house/publish/seed.ts';
import { describeOnBoth } from '../house/store/databases.ts';

describeOnBoth('The files of the sample repository, harvested', (open) => {
  test('are resources as far as everybody may read them, linked with every format, wherever they are named', async () => {
    const { database } = open();
    const clock = { now: () => new Date('2026-11-21T12:00:00Z'), sleep: async () => undefined };
    const repository = createSampleRepository({ clock, seed: 7, records: 100 });
    const { url } = await repository.listen();
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
    const config = parseConfig({ sources: { sample: { url } } }).sources.sample;
    if (!config) throw new Error('the source is configured');
    const gate = createHostGate();
    const settings = {
      endpoint: url,
      userAgent: 'resourcesync-bridge/1.2.3',
      requestsPerHost: 4,
      timeoutSeconds: 10,
      maxResponseBytes: 2 ** 24,
      allowPrivateAddresses: false,
    };
    const http = createHttp(settings, { gate, clock, log: silent });
    const found = createHttp({ ...settings, scope: 'found' }, { gate, clock, log: silent });
    const lessons = createLessonBook(clock);
    const { signal } = new AbortController();
    const adapter = createAdapter(
      'oai-pmh',
      { url, overlapSeconds: 5, requestsPerHost: 4, files: {} },
      { http, log: silent, clock, lessons },
    );
    const source = { name: 'sample', config, adapter, lessons };
    const ending = { stop: signal, signal };
    try {
      await harvest({ database, clock, log: silent }, source, { ...ending, mode: 'full' });
      const job = { database, directory, http: found, gate, clock, log: silent };
      expect(await runFileJob(job, source, ending)).toMatchObject({ landingPages: expect.any(Number) });
      const published: { path: string; upstream_url: string; links: string }[] = await database
        .writer('resource')
        .where({ kind: 'file' })
        .whereNull('deleted_at')
        .select('path', 'upstream_url', 'links');
      await withLinks(database.writer, published, ['links']);
      const expected = createRecords(100)
        .filter(({ deleted }) => !deleted)
        .flatMap(({ position, files }) =>
          files
            .filter(({ access }) => access === 'open')
            .map(({ name }) => new URL(`/files/${1000 + position}/${encodeURIComponent(name)}`, url).href),
        );
      expect(published.map(({ upstream_url }) => upstream_url).sort()).toEqual(expected.sort());
      for (const { links } of published) {
        const rels = (JSON.parse(links) as { rel: string }[]).filter(({ rel }) => rel === 'describedby');
        expect(rels).toHaveLength(3);
      }
    } finally {
      await Promise.all([http.close(), found.close(), repository.close()]);
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

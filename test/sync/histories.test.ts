import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OfferedCapability } from '../../src/simulate/settings.ts';
import { ownFolder } from '../../src/sync/state/copy-database.ts';
import { runs } from '../house/runs.ts';
import { ChangingSource, type Interference } from '../house/sync/changing-source.ts';
import { Copy } from '../house/sync/copy.ts';

const names = ['/a', '/a/b', '/A', '/c/d', '/c/e', '/f?g=1'];
const faults = [
  'none',
  'none',
  'failing',
  'lying',
  'breaking',
  'half a list',
  'half the changes',
  'reversed',
  'crash',
  'kill',
  'stop',
] as const;

type Step =
  | { readonly do: 'put'; readonly name: string; readonly text: string }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'list' }
  | { readonly do: 'forget' }
  | { readonly do: 'pass'; readonly seconds: number }
  | SyncStep;

interface SyncStep {
  readonly do: 'sync';
  readonly fault: (typeof faults)[number];
  readonly name: string;
  readonly isAudit: boolean;
}

const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('put'), name, text: fc.constantFrom('1', '22', '333') }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('list', 'forget') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass'), seconds: fc.constantFrom(0, 60, 5000) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sync'),
      fault: fc.constantFrom(...faults),
      name,
      isAudit: fc.boolean(),
    }),
  },
);

const interferences: Partial<Record<(typeof faults)[number], Interference>> = {
  failing: (response) => {
    response.writeHead(500).end('no');
    return true;
  },
  lying: (response) => {
    response.writeHead(200).end('something else');
    return true;
  },
  breaking: (response, _, body) => {
    response.writeHead(200, { 'content-length': body.length + 10 });
    response.write(body, () => response.destroy());
    return true;
  },
};

/** One run, in which something may go wrong; whatever comes of it, the next one goes on. */
async function syncWith(source: ChangingSource, copy: Copy, { fault, name: victim, isAudit }: SyncStep) {
  const interference = interferences[fault];
  // Of what nothing is said, nobody can say that it is a lie.
  const isNoticed = fault !== 'lying' || source.facts.includes('length');
  if (interference && isNoticed) source.interferences.set(victim, interference);
  const half = { 'half a list': '/rl.xml', 'half the changes': '/cl.xml' }[fault as string];
  source.rewrite = (path, text) => {
    if (path === half) return text.slice(0, text.lastIndexOf('</') - 5);
    if (fault !== 'reversed' || path !== '/cl.xml') return text;
    const entries = [...text.matchAll(/<url>.*<\/url>\n/g)].map(([entry]) => entry);
    return text.replace(entries.join(''), entries.toReversed().join(''));
  };
  const own = join(copy.directory, ownFolder);
  const saved = `${own}-saved`;
  const stop = new AbortController();
  let told = 0;
  const tell = async () => {
    if (fault === 'stop') stop.abort();
    // What a kill leaves behind: what was written for good, and files that it does not know of.
    if (fault === 'kill') {
      rmSync(saved, { recursive: true, force: true });
      cpSync(own, saved, { recursive: true });
      told += 1;
      if (told > names.indexOf(victim)) stop.abort();
    }
    if (fault === 'crash') throw new TypeError('a crash');
  };
  try {
    const transfers = fault === 'kill' ? 1 : 3;
    const way = isAudit ? 'audit' : undefined;
    await copy.sync(
      { maximumDeletions: 1000, way, transfers },
      { stop: stop.signal, telling: { tell, atOnce: 1 } },
    );
  } catch (error) {
    expect(`${error}`).toMatch(/a crash|is not well-formed|ended early|not complete/);
  } finally {
    source.interferences.clear();
    source.rewrite = (_, text) => text;
    if (existsSync(saved)) {
      rmSync(own, { recursive: true });
      cpSync(saved, own, { recursive: true });
      rmSync(saved, { recursive: true });
    }
  }
}

it('whatever happens on the way, at a quiet moment the copy is the Source', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.constantFrom(
        ['hash', 'length', 'lastmod', 'type'] as const,
        ['lastmod'] as const,
        ['length', 'lastmod'] as const,
      ),
      fc.constantFrom<readonly OfferedCapability[]>(
        ['resourcelist', 'changelist'],
        ['resourcelist', 'changedump'],
        ['resourcelist', 'changelist', 'changedump'],
      ),
      async (steps, facts, offers) => {
        const source = await ChangingSource.open();
        const copy = new Copy(source);
        source.facts = facts;
        source.offers = offers;
        source.linksManifests = offers.length === 3;
        try {
          let known = '';
          for (const one of steps) {
            if (one.do === 'put') source.put(one.name, `${one.text} of ${one.name}`);
            else if (one.do === 'remove') source.remove(one.name);
            else if (one.do === 'list') source.list();
            else if (one.do === 'forget') source.forget();
            else if (one.do === 'pass') source.pass(one.seconds);
            else await syncWith(source, copy, one);
            expect(source.now >= known).toBe(true);
            known = source.now;
          }
          source.list();
          // Whoever failed often waits a day for its turn.
          source.pass(100_000);
          let report = await copy.sync({ maximumDeletions: 1000 });
          if (!report.isComplete) report = await copy.sync({ maximumDeletions: 1000 });
          expect(report).toMatchObject({ isComplete: true, failures: [], notes: [] });
          expect(Object.values(copy.contents()).sort()).toEqual(Object.values(source.contents()).sort());
          // Nothing is left to do.
          expect(await copy.sync()).toMatchObject({ copied: { requests: 0, deleted: 0 }, isComplete: true });
        } finally {
          copy.end();
          await source.close();
        }
      },
    ),
    {
      numRuns: runs(60),
      // A package was being taken when the process was killed, and what it had brought was gone from the Source afterwards.
      examples: [
        [
          [
            { do: 'put', name: '/a', text: '1' },
            { do: 'sync', fault: 'kill', name: '/a', isAudit: false },
            { do: 'remove', name: '/a' },
            { do: 'sync', fault: 'none', name: '/a', isAudit: false },
          ],
          ['hash', 'length', 'lastmod', 'type'],
          ['resourcelist', 'changedump'],
        ],
      ],
    },
  );
});

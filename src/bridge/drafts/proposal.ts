import type { Config } from '../../core/config/config.ts';
import type { DraftChoices, DraftFound } from '../../core/drafts/source-draft.ts';
import { describeError } from '../../core/errors.ts';
import type { KeptSource } from '../../store/sources/kept-sources.ts';
import type { Bridge } from '../bridge.ts';
import { explain } from '../finding/explain.ts';
import { findAny, nameFrom } from '../finding/find-any.ts';
import type { Found } from '../finding/find-repository.ts';
import { foundSettings, withFound } from '../finding/found-settings.ts';
import { probePlaces } from '../finding/probe-places.ts';
import { SearchBudget } from '../finding/search-budget.ts';
import { protocols } from '../protocols.ts';
import { freeName, refuseKnown } from '../sources/new-source.ts';
import { cut } from './cut.ts';
import { withTriedSource } from './tried-source.ts';

const formatsShown = 100;
const collectionsShown = 300;
const collectionMs = 30_000;

/** Whoever gave the address sits elsewhere: it has to be public, or in `network.allow`, and stays so. */
const guarded = { privateHost: false } as const;

type Proposing = Pick<Bridge, 'config' | 'clock' | 'gateOf'>;

/**
 * What `rsbridge sources add` would find at an address, with its sets.
 * @throws BridgeError as `findAny` does; `usage` where a source reads it already
 */
export async function propose(
  bridge: Proposing,
  address: string,
  { adapter, group }: Pick<DraftChoices, 'adapter' | 'group'>,
  { signal, asked }: { readonly signal: AbortSignal; readonly asked: (url: string) => void },
): Promise<DraftFound> {
  const { config } = bridge;
  const found = await findAny(address, {
    adapter: protocols.find((one) => one === adapter),
    contact: config.contact,
    telling: 'all',
    places: probePlaces(bridge, address, group),
    within: config.network,
    ...{ signal, asked },
  });
  refuseKnown(bridge, found.url);
  const name = freeName(nameFrom(found.url), new Set(Object.keys(config.sources)));
  const settings = { ...foundSettings(found), ...guarded };
  asked(found.url);
  const sets = await readCollections(bridge, { name, settings }, signal);
  return { ...describe(found), name, settings, ...sets };
}

function describe(
  found: Found,
): Omit<DraftFound, 'name' | 'settings' | 'collections' | 'hasMoreCollections'> {
  const { url, adapter, info } = found;
  return {
    ...{ url, adapter },
    repository: cut(info.name),
    protocol: cut(`${info.protocol} ${info.protocolVersion}`),
    sentences: explain(found, (other) => `look again, by ${other}`).map((sentence) => cut(sentence, 2000)),
    formats: info.formats
      .filter(({ offered, name }) => offered && name.length <= 200)
      .slice(0, formatsShown)
      .map(({ name, selected }) => ({ name, selected })),
  };
}

/** What cannot be listed can still be named. */
async function readCollections(
  bridge: Proposing,
  source: KeptSource,
  signal: AbortSignal,
): Promise<Pick<DraftFound, 'collections' | 'hasMoreCollections' | 'collectionsTrouble'>> {
  const collections: { spec: string; name: string }[] = [];
  const budget = new SearchBudget(collectionMs);
  try {
    await withTriedSource(bridge, source, (adapter) =>
      budget.spend(String(source.settings.url), collectionMs, signal, async (_deadline, inTime) => {
        for await (const { spec, name } of adapter.collections(inTime)) {
          if (spec.length <= 200) collections.push({ spec, name: cut(name) });
          if (collections.length > collectionsShown) break;
        }
      }),
    );
  } catch (error) {
    signal.throwIfAborted();
    return { collections, hasMoreCollections: true, collectionsTrouble: cut(describeError(error), 500) };
  }
  const hasMoreCollections = collections.length > collectionsShown;
  return { collections: collections.slice(0, collectionsShown), hasMoreCollections };
}

/** The source that somebody has chosen. */
export function chosenSource(
  { name, settings }: Pick<DraftFound, 'name' | 'settings'>,
  choices: DraftChoices,
  groups: Config['groups'],
): KeptSource {
  const { group, title, formats, collections, files } = choices;
  const said = Object.fromEntries(
    Object.entries({ group, title, formats, collections }).filter(([, value]) => value !== undefined),
  );
  const all = withFound(said, settings, groups);
  const chosen = files === undefined ? {} : { files: { ...(all.files ?? {}), mode: files } };
  return { name: choices.name ?? name, settings: { ...all, ...chosen, ...guarded } };
}

import type { PublishedSet } from '../../publish/published/publication.ts';
import type { ServerDeps } from '../deps.ts';
import { isOpen, type Privacy } from '../privacy.ts';

/** The same, without anything of what is private: for whatever speaks of all sources to everybody. */
export function openDeps(deps: ServerDeps): ServerDeps {
  const { privacy, measures } = deps;
  if (!privacy) return deps;
  const [sources, published] = [steady(), steady()];
  return {
    ...deps,
    sources: async () => sources((await deps.sources()).filter(({ name }) => isOpen(deps, name))),
    published: async () => {
      const sets = await (deps.published?.() ?? deps.publication.sets());
      const names = await privateAmong(privacy, sets);
      return published(sets.filter(({ path }) => !names.has(ownerOf(privacy, path))));
    },
    ...(measures && {
      measures: async () => {
        const all = await measures();
        return { ...all, sources: all.sources.filter(({ name }) => isOpen(deps, name)) };
      },
    }),
    ...(deps.search && { search: { has: (name) => deps.search?.has(name) === true && isOpen(deps, name) } }),
  };
}

/** Also of sources that are not configured any more: those who follow them are still told. */
async function privateAmong(privacy: Privacy, sets: readonly PublishedSet[]): Promise<ReadonlySet<string>> {
  const names = [...new Set(sets.map(({ path }) => ownerOf(privacy, path)))];
  const known = await Promise.all(names.map(async (name) => ((await privacy.of(name)) ? [name] : [])));
  return new Set(known.flat());
}

/** What was published of a set before it became private is not named any more either. */
function ownerOf(privacy: Privacy, path: string): string {
  return privacy.sourceAt?.(path) ?? path.split('/', 1)[0] ?? path;
}

/** The same array as long as the same is in it: what is made of it is not made anew (`pages/remembered.ts`). */
function steady() {
  let last: readonly unknown[] = [];
  return <Entry>(next: readonly Entry[]): readonly Entry[] => {
    if (next.length !== last.length || next.some((one, index) => one !== last[index])) last = next;
    return last as readonly Entry[];
  };
}

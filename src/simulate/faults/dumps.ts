import { createHash } from 'node:crypto';
import type { PackageDraft } from '../documents/packages.ts';
import type { Fault } from './fault.ts';

const needs = { offers: ['resourcelist', 'changelist', 'resourcedump', 'changedump'] } as const;
const usual = { kind: 'dumps', outcome: 'same', share: 1, needs } as const;

/** What is wrong with dumps and packages; whoever cannot use them has the lists. */
export const dumpFaults: readonly Fault[] = [
  {
    ...{ name: 'damaged-packages', ...usual },
    what: 'packages have octets that differ from what was packed',
    expects: 'does not believe them; fetches what they had one by one',
    packed: (bytes) => {
      const damaged = Buffer.from(bytes);
      for (let at = 200; at < damaged.length - 200; at += 977) damaged[at] = 0x21;
      return damaged;
    },
  },
  {
    ...{ name: 'cut-packages', ...usual },
    what: 'packages end in the middle',
    expects: 'takes nothing from them that it cannot check',
    packed: (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  },
  {
    ...{ name: 'no-manifest', ...usual },
    what: 'packages have no manifest',
    expects: 'does not guess what is in them',
    package: (draft) => ({ ...draft, manifest: { ...draft.manifest, path: '' } }),
  },
  {
    ...{ name: 'climbing-packages', ...usual },
    what: 'members of packages have names that climb out of a directory',
    expects: 'writes nothing outside its directory',
    package: renamed((name) => `../../../${name}`),
  },
  {
    ...{ name: 'swapped-members', ...usual },
    what: 'members of packages have the bytes of others',
    expects: 'compares hashes before it takes anything',
    package: (draft) => {
      const [first, ...rest] = draft.members.map(({ bytes }) => bytes);
      if (first === undefined) return draft;
      const turned = [...rest, first];
      const members = draft.members.map((one, at) => ({ ...one, bytes: turned[at] ?? one.bytes }));
      return { ...draft, members };
    },
  },
  {
    ...{ name: 'missing-members', ...usual },
    what: 'packages lack every second member that their manifest names',
    expects: 'fetches those one by one',
    package: (draft) => ({ ...draft, members: draft.members.filter((_, at) => at % 2 === 0) }),
  },
  {
    ...{ name: 'unlisted-members', ...usual },
    what: 'packages have members that their manifest does not name',
    expects: 'leaves them alone',
    package: (draft) => ({
      ...draft,
      members: [...draft.members, { name: 'secret/unlisted', bytes: Buffer.from('nobody named me\n') }],
    }),
  },
  {
    ...{ name: 'local-paths', ...usual },
    what: 'the dump names its packages by paths of its own disk (py-resourcesync)',
    expects: 'asks for none of them; has the lists',
    draft: (draft, { origin }) =>
      /dump$/.test(draft.capability)
        ? {
            ...draft,
            entries: draft.entries.map((one) => ({
              ...one,
              loc: `file:///var/resourcesync${one.loc.slice(origin.length)}`,
            })),
          }
        : draft,
  },
  {
    ...{ name: 'old-dump', ...usual },
    what: 'the dump says that it is of now, and has states of before: every third member is another',
    expects: 'compares it with the Resource List',
    package: (draft) => {
      const old = (bytes: Buffer) => Buffer.from(`an earlier state, ${digest(bytes)}\n`);
      const members = draft.members.map((one, at) =>
        at % 3 === 0 ? { ...one, bytes: old(one.bytes) } : one,
      );
      return { ...draft, members };
    },
  },
];

function renamed(rename: (name: string) => string): (draft: PackageDraft) => PackageDraft {
  return (draft) => ({
    ...draft,
    members: draft.members.map((one) => ({ ...one, name: rename(one.name) })),
    manifest: {
      ...draft.manifest,
      entries: draft.manifest.entries.map((entry) => {
        const path = entry.md.path;
        const md = { ...entry.md, path: path === undefined ? undefined : `/${rename(path.slice(1))}` };
        return { ...entry, md };
      }),
    },
  });
}

function digest(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

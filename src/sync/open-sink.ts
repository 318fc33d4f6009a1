import { BridgeError } from '../core/errors.ts';
import type { ObjectStore } from '../core/payloads/object-store.ts';
import { BucketSink } from './bucket/bucket-sink.ts';
import { OcflSink } from './ocfl/ocfl-sink.ts';
import type { PlaceRule } from './places/loc-path.ts';
import { TreeSink } from './places/tree-sink.ts';
import { NoContents } from './sinks/no-contents.ts';
import type { Sink } from './sinks/sink.ts';
import type { CopyDatabase } from './state/copy-database.ts';
import type { HeldResources } from './state/held-resources.ts';
import { WarcSink } from './warc/warc-sink.ts';

export interface SinkPlace {
  /** Of the copy. */
  readonly directory: string;
  /** On the same file system: for what is on its way, and for a copy that is made as a whole. */
  readonly parts: string;
  readonly aside: string;
  readonly backup: string | undefined;
  readonly rules: readonly PlaceRule[];
  readonly held: HeldResources;
  readonly database: CopyDatabase;
  readonly now: () => string;
  readonly openBucket: OpenBucket | undefined;
  readonly author: Author | undefined;
}

export interface Author {
  /** Of the software, with its version. */
  readonly name: string;
  /** A URI. */
  readonly address: string;
}

/** @throws BridgeError `usage` where the address is none, or what is needed to go there is missing */
export type OpenBucket = (address: string) => OpenedBucket | Promise<OpenedBucket>;

export interface OpenedBucket {
  readonly store: ObjectStore;
  close(): void;
}

const nobody: Author = { name: 'resourcesync-bridge', address: 'urn:resourcesync-bridge' };

/** @throws BridgeError `usage` */
export async function openSink(kind: string, place: SinkPlace): Promise<Sink> {
  const { directory, parts, aside, backup, rules, held, database, now, openBucket, author = nobody } = place;
  if (kind === 'directory')
    return new TreeSink({ directory, parts, aside, backup, rules, held, flush: () => database.flush() });
  // Only a tree of files has something to put aside.
  if (backup !== undefined)
    throw new BridgeError('usage', `--backup-dir belongs to --sink directory, not to ${kind}`);
  if (kind === 'none') return new NoContents();
  if (kind === 'warc') return new WarcSink({ directory, database, now, software: author.name });
  if (kind === 'ocfl') return new OcflSink({ directory, parts, now, user: author });
  if (kind.startsWith('s3://') && openBucket !== undefined) {
    const { store, close } = await openBucket(kind);
    return new BucketSink({ store, held, rules, closeStore: close });
  }
  throw new BridgeError('usage', `--sink ${kind}: give directory, warc, ocfl, s3://BUCKET/PREFIX or none`);
}

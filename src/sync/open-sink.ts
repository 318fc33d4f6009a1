import { BridgeError } from '../core/errors.ts';
import type { PlaceRule } from './places/loc-path.ts';
import { TreeSink } from './places/tree-sink.ts';
import { NoContents } from './sinks/no-contents.ts';
import type { Sink } from './sinks/sink.ts';
import type { CopyDatabase } from './state/copy-database.ts';
import type { HeldResources } from './state/held-resources.ts';

export interface SinkPlace {
  /** Of the copy. */
  readonly directory: string;
  /** For what is on its way, on the same file system. */
  readonly parts: string;
  readonly backup: string | undefined;
  readonly rules: readonly PlaceRule[];
  readonly held: HeldResources;
  readonly database: CopyDatabase;
  readonly now: () => string;
}

/** What people type: where copied resources go. */
export const sinkKinds = ['directory', 'none'] as const;

/** @throws BridgeError `usage` */
export async function openSink(kind: string, place: SinkPlace): Promise<Sink> {
  const { database, ...tree } = place;
  if (kind === 'directory') return new TreeSink({ ...tree, flush: () => database.flush() });
  if (kind === 'none') return new NoContents();
  throw new BridgeError('usage', `--sink ${kind}: give ${sinkKinds.join(', ')}`);
}

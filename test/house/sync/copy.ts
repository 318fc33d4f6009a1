import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everything } from '../../../src/sync/choice/selection.ts';
import { ownFolder } from '../../../src/sync/state/copy-database.ts';
import type { SyncDeps, SyncOptions } from '../../../src/sync/sync-options.ts';
import type { SyncReport } from '../../../src/sync/sync-report.ts';
import { synchronise } from '../../../src/sync/synchronisation.ts';
import { type WatchDeps, watch } from '../../../src/sync/watch.ts';
import { openLoopbackPort } from '../resourcesync/loopback-port.ts';

/** What a copy needs to know of a Source beforehand. */
export interface FollowedSource {
  readonly origin: string;
  /** The clock of both. */
  readonly now: string;
}

/** A directory that follows a Source by the real code, over real HTTP. */
export class Copy {
  readonly directory = mkdtempSync(join(tmpdir(), 'rsbridge-copy-'));
  readonly source: FollowedSource;

  constructor(source: FollowedSource) {
    this.source = source;
  }

  /** Everything below the Source's address lies in the directory itself. */
  async sync(options: Partial<SyncOptions> = {}, deps: Partial<SyncDeps> = {}): Promise<SyncReport> {
    const port = openLoopbackPort(this.source.origin);
    try {
      return await synchronise(this.#options(options), { ...this.#deps(), port, ...deps });
    } finally {
      await port.close();
    }
  }

  async watch(deps: Partial<WatchDeps> & Omit<WatchDeps, keyof SyncDeps>): Promise<SyncReport | undefined> {
    const port = openLoopbackPort(this.source.origin);
    try {
      return await watch(this.#options({}), { ...this.#deps(), port, ...deps });
    } finally {
      await port.close();
    }
  }

  #deps(): Omit<SyncDeps, 'port'> {
    return { now: () => this.source.now, stop: new AbortController().signal };
  }

  #options(options: Partial<SyncOptions>): SyncOptions {
    return {
      address: new URL(this.source.origin),
      directory: this.directory,
      way: undefined,
      isDryRun: false,
      set: undefined,
      selection: everything,
      dropsExcluded: false,
      places: [{ base: `${this.source.origin}/`, folder: '' }],
      maximumDeletions: undefined,
      backup: undefined,
      hosts: undefined,
      transfers: 3,
      maximumOctets: 100_000_000,
      ...options,
    };
  }

  /** By path. */
  contents(): Readonly<Record<string, string>> {
    return filesBelow(this.directory);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  end(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Texts of files by their paths with slashes, what is ours left out. */
export function filesBelow(directory: string): Readonly<Record<string, string>> {
  if (!existsSync(directory)) return {};
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => !path.startsWith(`${ownFolder}/`));
  return Object.fromEntries(found.sort().map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

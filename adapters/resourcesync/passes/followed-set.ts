import type { AdapterContext, AdapterSettings, Holdings } from '../../../src/core/adapter.ts';
import { movedAddress } from '../../../src/core/addresses/moved-address.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import type { SourceSet } from '../../../src/resourcesync/discovery/found-source.ts';
import { chooseSet } from '../../../src/resourcesync/discovery/source-set.ts';
import { createAuthority } from '../../../src/resourcesync/reading/authority.ts';
import { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import {
  type DocumentMemory,
  rememberingPort,
} from '../../../src/resourcesync/reading/remembered-documents.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';
import { Assembly, type Reading } from '../items/assembly.ts';
import { DoubledOrigins } from '../items/doubled-origins.ts';
import type { MetCollections } from '../items/met-collections.ts';
import { refuseOwnSource } from '../items/own-words.ts';
import { sourcePort } from '../reading/http-port.ts';

const givesToken = 'give a valid one in `headers` of the source, as { Authorization: "Bearer ${TOKEN}" }';

/** The set that a source follows, and the way to it. */
export interface FollowedSet {
  readonly set: SourceSet;
  /** As in `RepositoryInfo`. */
  readonly moved: string | false | undefined;
  readonly port: SourcePort;
  readonly remarks: Remarks;
  readonly origins: DoubledOrigins;
  readonly holdings: Holdings;
  /** Our clock, for a Source that tells no time. */
  readonly now: () => string;
  /** @param mends see `PageRequest` */
  assembly(reading: Reading, mends?: boolean): Assembly;
}

/** What a source has met before, in this process. */
export interface Remembered {
  readonly documents: DocumentMemory;
  readonly collections: MetCollections;
}

/**
 * @param known the Capability List of before, or what was read of it a moment ago
 * @throws BridgeError where there is none, several that could be meant, or one that we publish ourselves
 */
export async function openSet(
  settings: AdapterSettings,
  context: AdapterContext,
  known: string | SourceSet | undefined,
  { documents: memory, collections: collectionsMet }: Remembered,
  signal: AbortSignal,
): Promise<FollowedSet> {
  const { url, resourcesync: { set: name, hosts = [], history = false } = {} } = settings;
  const { http, holdings = nothing, baseUrl, clock } = context;
  refuseOwnSource(url, baseUrl);
  const { href } = new URL(url);
  let moved: string | false | undefined;
  const way = sourcePort(http, signal);
  const watched: SourcePort = {
    get: async (uri, ...how) => {
      const response = await way.get(uri, ...how);
      const { movedTo } = response;
      if (uri === href) moved = movedTo !== undefined && movedAddress(href, movedTo);
      return response;
    },
  };
  const port = rememberingPort(watched, memory);
  const remarks = new Remarks();
  const before = typeof known === 'string' ? known : undefined;
  const choice = {
    address: new URL(url),
    name,
    known: before,
    naming: '`resourcesync.set`',
    takesWhole: true,
    // Whoever has followed the first of several goes on with it.
    takesFirst: before === undefined && (await context.knownIdentifier?.()) !== undefined,
    // What is sent in `headers` is not ours to know.
    login: { isSent: false, how: givesToken },
  };
  const set = typeof known === 'object' ? known : await choose(choice, port, remarks);
  refuseOwnSource(set.uri, baseUrl);
  const { robots } = set;
  const { formats, collections, files, requestsPerHost: atOnce } = settings;
  const origins = new DoubledOrigins(context);
  const making = {
    ...{
      port,
      holdings,
      set: set.uri,
      isSitemap: !set.hasCapabilityList,
      baseUrl,
      formats,
      collections,
      atOnce,
    },
    origins,
    collectionsMet,
    withFiles: files !== undefined,
    withPast: history,
    isAllowed: createAuthority(
      set.uri,
      robots === undefined ? hosts : [...hosts, new URL(robots.uri).hostname],
    ),
  };
  return {
    set,
    // Another document may be where the address leads.
    moved: set.uri === href ? moved : undefined,
    port,
    remarks,
    origins,
    holdings,
    now: () => toIso(clock.now()),
    assembly: (reading, mends = false) => new Assembly({ ...making, reading, mends }),
  };
}

async function choose(...[choice, port, remarks]: Parameters<typeof chooseSet>): Promise<SourceSet> {
  try {
    return await chooseSet(choice, port, remarks);
  } catch (error) {
    // `usage` is what somebody types; this one is written.
    if (!(error instanceof BridgeError) || error.code !== 'usage') throw error;
    throw new BridgeError('config-invalid', error.message, { cause: error });
  }
}

const nothing = {
  items: async () => new Map(),
  stating: async () => new Map(),
  damaged: async () => new Set<string>(),
};

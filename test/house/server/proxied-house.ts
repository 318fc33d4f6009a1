import { createHash } from 'node:crypto';
import pino from 'pino';
import {
  createUpstreamFiles,
  type UpstreamFileSource,
} from '../../../src/harvest/files/upstream/upstream-files.ts';
import type { Resolve } from '../../../src/harvest/http/address-guard.ts';
import type { ServerDeps } from '../../../src/server/deps.ts';
import { type House, openHouse, type SeededResource, seedResource } from './fixture.ts';
import { type Answer, type LoopbackUpstream, openUpstream } from './loopback-upstream.ts';

/** A house whose files lie on a loopback upstream. */
export interface ProxiedHouse {
  readonly house: House;
  readonly upstream: LoopbackUpstream;
  /** A file of the upstream's path `/file`, described as said. @returns its address at ours */
  seed(described?: SeededResource & { readonly upstreamPath?: string }): Promise<string>;
  close(): Promise<void>;
}

export interface ProxiedSettings extends Partial<UpstreamFileSource> {
  readonly resolve?: Resolve;
  readonly clientOf?: ServerDeps['clientOf'];
  readonly connectionSettings?: ServerDeps['connections'];
  readonly noteRefusal?: ServerDeps['noteRefusal'];
  readonly patience?: { headersMs?: number; bodyMs?: number; placeMs?: number };
}

export async function openProxiedHouse(
  answers: Readonly<Record<string, Answer>>,
  { patience = {}, resolve, clientOf, connectionSettings, noteRefusal, ...settings }: ProxiedSettings = {},
): Promise<ProxiedHouse> {
  const upstream = await openUpstream(answers);
  const source: UpstreamFileSource = {
    endpoint: `${upstream.origin}/oai`,
    allow: [],
    allowPrivateAddresses: false,
    userAgent: 'rsbridge/test',
    connections: 4,
    slowestRate: { graceSeconds: 60, bytesPerSecond: 1 },
    ...settings,
  };
  const upstreamFiles = createUpstreamFiles((name) => (name === 'kyushu' ? source : undefined), {
    clock: { now: () => new Date() },
    log: pino({ level: 'silent' }),
    patience,
    ...(resolve && { resolve }),
  });
  const house = await openHouse({
    fileMode: () => 'proxy',
    upstreamFiles,
    connections: connectionSettings,
    ...(clientOf && { clientOf }),
    ...(noteRefusal && { noteRefusal }),
  });
  return {
    house,
    upstream,
    seed: async ({ upstreamPath = '/file', ...described } = {}) => {
      const { path } = await seedResource(house.database, {
        kind: 'file',
        keep: false,
        mediaType: 'application/pdf',
        hash: null,
        length: null,
        upstreamUrl: `${upstream.origin}${upstreamPath}`,
        ...described,
      });
      return `${await house.origin()}/${path}`;
    },
    close: async () => {
      await house.close();
      await upstreamFiles.close();
      await upstream.close();
    },
  };
}

export function hashOf(algorithm: 'md5' | 'sha256', content: Buffer): string {
  const hex = createHash(algorithm).update(content).digest('hex');
  return `${algorithm === 'md5' ? 'md5' : 'sha-256'}:${hex}`;
}

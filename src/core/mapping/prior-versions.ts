import type { SourceFile, SourceMetadata, SourceVersion } from '../adapter.ts';
import { sha256 } from '../payloads/sha-256.ts';
import { xmlType } from '../uris.ts';

/** An earlier state of an item as it is stored: its metadata by the hashes of the bytes. */
export interface MappedVersion
  extends Pick<SourceVersion, 'identifier' | 'collections' | 'number' | 'createdAt' | 'upstreamUrl'> {
  readonly metadata: readonly PriorMetadata[];
  readonly files: readonly PriorFile[];
}

export interface PriorMetadata extends Pick<SourceMetadata, 'format' | 'profile' | 'upstreamUrl'> {
  readonly mediaType: string;
  /** Octets. */
  readonly length: number;
  /** `sha-256:…` */
  readonly hash: string;
  readonly content: Uint8Array;
}

/** Where the upstream keeps it; nothing of it is kept here. */
export type PriorFile = Pick<SourceFile, 'url' | 'name' | 'sequence' | 'mediaType' | 'length' | 'hash'>;

export function mapVersion({
  identifier,
  collections,
  number,
  createdAt,
  upstreamUrl,
  metadata,
  files,
}: SourceVersion): MappedVersion {
  const named = identifier === undefined ? {} : { identifier };
  const about = { number, createdAt, upstreamUrl, ...named, ...(collections && { collections }) };
  return { ...about, metadata: metadata.map(mapMetadata), files: toFiles(files) };
}

function mapMetadata({ format, content, mediaType, profile, upstreamUrl }: SourceMetadata): PriorMetadata {
  return {
    format,
    mediaType: mediaType ?? xmlType,
    length: content.byteLength,
    hash: sha256(content),
    profile,
    upstreamUrl,
    content,
  };
}

/** Nobody asks for the files of the past: those that may be hidden are left out. */
function toFiles(files: readonly SourceFile[]): readonly PriorFile[] {
  return files
    .filter(({ access }) => access === undefined || access === 'open')
    .map(({ url, name, sequence, mediaType, length, hash }) => ({
      url,
      name,
      sequence,
      mediaType,
      length,
      hash,
    }));
}

/** What the earlier versions of an item were called while they were items of their own. */
export function namesOfVersions({
  versions = [],
}: {
  readonly versions?: readonly Pick<MappedVersion, 'identifier'>[] | undefined;
}): readonly string[] {
  return versions.flatMap(({ identifier }) => identifier ?? []);
}

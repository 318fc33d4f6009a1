import { readFileSync, statSync } from 'node:fs';
import { BridgeError, describeError } from '../core/errors.ts';
import { keepSecret } from '../core/secrets.ts';
import type { Credentials } from './signature.ts';

/** Who we are to the object storage, from a file that may change at any time, or from the configuration. */
export interface CredentialSource {
  /** @throws BridgeError `objects-refused` when there are none, or the file cannot be read */
  current(): Credentials;
}

export interface CredentialSettings {
  readonly credentialsFile?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
}

export function credentialSource(settings: CredentialSettings): CredentialSource {
  const { credentialsFile, accessKeyId, secretAccessKey, sessionToken } = settings;
  if (credentialsFile !== undefined) return fromFile(credentialsFile);
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return {
      current() {
        throw new BridgeError(
          'objects-refused',
          'there are no credentials for the object storage: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file with storage.s3.credentialsFile',
        );
      },
    };
  }
  const fixed = kept({ accessKeyId, secretAccessKey, sessionToken });
  return { current: () => fixed };
}

/** Read again whenever it has changed: credentials are replaced while we run. */
function fromFile(file: string): CredentialSource {
  let known: { readonly identity: string; readonly credentials: Credentials } | undefined;
  return {
    current() {
      try {
        const { ino, size, mtimeMs } = statSync(file);
        const identity = [ino, size, mtimeMs].join(' ');
        if (known?.identity === identity) return known.credentials;
        const credentials = parseCredentials(readFileSync(file, 'utf8'));
        if (credentials === undefined) {
          throw new BridgeError(
            'objects-refused',
            `${file} has no credentials; write the lines aws_access_key_id = … and aws_secret_access_key = …`,
          );
        }
        known = { identity, credentials: kept(credentials) };
        return known.credentials;
      } catch (cause) {
        // It is being replaced: what it said last may still be right.
        if (known) return known.credentials;
        if (cause instanceof BridgeError) throw cause;
        const message = `the credentials of the object storage cannot be read: ${describeError(cause)}`;
        throw new BridgeError('objects-refused', message, { cause });
      }
    },
  };
}

function kept(credentials: Credentials): Credentials {
  for (const value of Object.values(credentials)) if (value !== undefined) keepSecret(value);
  return credentials;
}

/** As the tools of AWS write them: lines below `[default]`, or JSON. */
export function parseCredentials(text: string): Credentials | undefined {
  const values = text.trimStart().startsWith('{') ? fromJson(text) : fromLines(text);
  const [accessKeyId, secretAccessKey, sessionToken] = [
    values.get('accesskeyid'),
    values.get('secretaccesskey'),
    values.get('sessiontoken') ?? values.get('token'),
  ];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

function fromJson(text: string): Map<string, string> {
  const values = new Map<string, string>();
  try {
    for (const [name, value] of Object.entries(JSON.parse(text) as object))
      if (typeof value === 'string') values.set(plain(name), value);
  } catch {
    // It says nothing that could be used.
  }
  return values;
}

/** Of several profiles the one called `default`, or the first. */
function fromLines(text: string): Map<string, string> {
  const profiles = new Map<string, Map<string, string>>();
  let profile = 'default';
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\s*(.+?)\s*\]\s*$/.exec(line)?.[1];
    if (name !== undefined) profile = name;
    const [, key, value] = /^\s*([A-Za-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const values = profiles.get(profile) ?? new Map<string, string>();
    profiles.set(profile, values.set(plain(key), value));
  }
  return profiles.get('default') ?? [...profiles.values()][0] ?? new Map();
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '').replace(/^aws/, '');
}

import { createHash, createHmac } from 'node:crypto';

/** AWS Signature Version 4, of a request and of an address. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
  readonly now: Date;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 in hex. */
  readonly payloadHash: string;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** @returns the headers with what makes them signed */
export function signedHeaders(request: SignedRequest, signing: Signing): Record<string, string> {
  const { credentials } = signing;
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': request.payloadHash,
    'x-amz-date': stampOf(signing.now),
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const signed = Object.keys(headers).sort();
  const canonical = canonicalRequest(request.method, request.url, headers, request.payloadHash);
  const authorization = [
    `${algorithm} Credential=${credentials.accessKeyId}/${scopeOf(signing)}`,
    `SignedHeaders=${signed.join(';')}`,
    `Signature=${signatureOf(canonical, signing)}`,
  ].join(',');
  return { ...headers, authorization };
}

/** The address with a signature in its query, good for so many seconds, at most a week. */
export function presignedUrl(method: string, url: URL, seconds: number, signing: Signing): string {
  const { credentials } = signing;
  const signed = new URL(url);
  const query: Record<string, string> = {
    ...Object.fromEntries(url.searchParams),
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scopeOf(signing)}`,
    'X-Amz-Date': stampOf(signing.now),
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
    ...(credentials.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': credentials.sessionToken }),
  };
  signed.search = canonicalQuery(Object.entries(query));
  const canonical = canonicalRequest(method, signed, { host: url.host }, 'UNSIGNED-PAYLOAD');
  return `${signed.href}&X-Amz-Signature=${signatureOf(canonical, signing)}`;
}

/** All but letters, digits and `-._~` as octets: what is signed has to be written as it is sent. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function canonicalQuery(pairs: Iterable<readonly [string, string]>): string {
  return [...pairs]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join('&');
}

function canonicalRequest(
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  payloadHash: string,
): string {
  const names = Object.keys(headers).sort();
  return [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
}

function signatureOf(canonical: string, signing: Signing): string {
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = [algorithm, stampOf(signing.now), scopeOf(signing), hash].join('\n');
  const { credentials, region, now } = signing;
  let key: string | Buffer = `AWS4${credentials.secretAccessKey}`;
  for (const part of [stampOf(now).slice(0, 8), region, 's3', 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(text).digest('hex');
}

function scopeOf({ region, now }: Signing): string {
  return `${stampOf(now).slice(0, 8)}/${region}/s3/aws4_request`;
}

/** 20130524T000000Z */
function stampOf(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

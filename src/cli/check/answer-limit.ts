import type { RepositoryInfo } from '../../core/adapter.ts';
import { eitherOf, forCrowd } from '../../core/either-signal.ts';
import { BridgeError, refusal } from '../../core/errors.ts';
import type { ReasonCode } from '../../core/reasons/reason.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';

/** A person waits: for each of the things that are asked of a source no longer than this. */
const limitMs = 30_000;
/** Of a list of thousands of collections, which comes in pages. */
export const listLimitMs = 300_000;

/** Its turn at the server, which other processes may be asking, included. */
export async function* withinLimit<Result>(
  source: Pick<HarvestSource, 'config'>,
  signal: AbortSignal,
  ask: (limited: AbortSignal) => AsyncIterable<Result>,
  most = limitMs,
): AsyncGenerator<Result> {
  const { host } = new URL(source.config.url);
  const late = new AbortController();
  forCrowd(late.signal);
  const timer = setTimeout(() => late.abort(tooLate(host, most)), most);
  try {
    yield* ask(eitherOf(signal, late.signal));
  } finally {
    clearTimeout(timer);
  }
}

export async function identifyWithin(source: HarvestSource, signal: AbortSignal): Promise<RepositoryInfo> {
  for await (const info of withinLimit(source, signal, async function* (limited) {
    yield await source.adapter.identify(limited);
  }))
    return info;
  throw new BridgeError('internal', `${source.name} was not asked who it is`);
}

const silences: ReadonlySet<ReasonCode> = new Set(['no-answer-in-time', 'host-silent']);

/** That nothing came back at all. */
export function isSilence({ reason }: BridgeError): boolean {
  return reason !== undefined && silences.has(reason.code);
}

function tooLate(host: string, most: number): BridgeError {
  const facts = { host, seconds: most / 1000 };
  return refusal('upstream-unreachable', 'no-answer-in-time', facts, { retryable: true });
}

import type { RepositoryInfo } from '../../core/adapter.ts';
import { eitherOf, forCrowd } from '../../core/either-signal.ts';
import { type BridgeError, refusal } from '../../core/errors.ts';
import type { ReasonCode } from '../../core/reasons/reason.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';

/** A person waits for a server to say who it is; its turn there, which other processes may be asking, included. */
const answerMs = 30_000;
/** It has answered by then: a list of thousands of collections comes in pages, and what is compared one by one. */
const furtherMs = 300_000;

export async function identifyWithin(source: HarvestSource, signal: AbortSignal): Promise<RepositoryInfo> {
  const limited = limit(source, signal, answerMs);
  try {
    return await source.adapter.identify(limited.signal);
  } finally {
    limited.end();
  }
}

/** What is asked of a source that has been identified. */
export async function* withinLimit<Result>(
  source: HarvestSource,
  signal: AbortSignal,
  ask: (limited: AbortSignal) => AsyncIterable<Result>,
): AsyncGenerator<Result> {
  const limited = limit(source, signal, furtherMs);
  try {
    yield* ask(limited.signal);
  } finally {
    limited.end();
  }
}

function limit({ config }: HarvestSource, signal: AbortSignal, most: number) {
  const { host } = new URL(config.url);
  const late = new AbortController();
  forCrowd(late.signal);
  const timer = setTimeout(() => late.abort(tooLate(host, most)), most);
  return { signal: eitherOf(signal, late.signal), end: () => clearTimeout(timer) };
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

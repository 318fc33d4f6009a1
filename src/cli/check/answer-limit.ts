import type { RepositoryInfo } from '../../core/adapter.ts';
import { eitherOf, forCrowd } from '../../core/either-signal.ts';
import { type BridgeError, refusal } from '../../core/errors.ts';
import type { ReasonCode } from '../../core/reasons/reason.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';

/** A person waits for a server to say who it is; and as long for a turn there, which other processes may be asking. */
export const answerMs = 30_000;
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

/** Who waits for a turn, or while the host rests, learns nothing of the server: that time is another one. */
function limit({ config, isAsking }: HarvestSource, signal: AbortSignal, most: number) {
  const { host } = new URL(config.url);
  const late = new AbortController();
  forCrowd(late.signal);
  let [asking, waiting, before] = [0, 0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    if (isAsking?.() ?? true) asking += now - before;
    else waiting += now - before;
    before = now;
    const facts = { host, seconds: most / 1000 };
    if (asking >= most)
      late.abort(refusal('upstream-unreachable', 'no-answer-in-time', facts, { retryable: true }));
    else if (waiting >= most)
      late.abort(refusal('upstream-busy', 'turn-not-come', facts, { retryable: true }));
  }, lookMs);
  return { signal: eitherOf(signal, late.signal), end: () => clearInterval(timer) };
}

const lookMs = 250;

const turns: ReadonlySet<ReasonCode> = new Set(['turn-not-come']);

/** That nothing was asked, because others had their turn or the host rests. */
export function isUnasked({ reason }: BridgeError): boolean {
  return reason !== undefined && turns.has(reason.code);
}

const silences: ReadonlySet<ReasonCode> = new Set(['no-answer-in-time', 'host-silent']);

/** That nothing came back at all. */
export function isSilence({ reason }: BridgeError): boolean {
  return reason !== undefined && silences.has(reason.code);
}

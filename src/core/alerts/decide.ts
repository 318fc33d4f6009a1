import {
  type AlertEntry,
  type AlertKind,
  type AlertNews,
  type AlertState,
  type AlertSubject,
  type Finding,
  keyOfAlert,
} from './alert.ts';

/** In milliseconds. */
export interface AlertPolicy {
  /** What is found within this time goes into one message. */
  readonly groupMs: number;
  /** From one message to the next. */
  readonly pauseMs: number;
  /** So long something has to be well before that is told; twice as long each time that it comes back. */
  readonly holdMs: number;
  /** What is still wrong is told again after this. */
  readonly remindMs: number;
}

export interface Observed {
  readonly findings: readonly Finding[];
  /** Kinds that could be looked at: of the others nothing is learnt. */
  readonly looked: ReadonlySet<AlertKind>;
  /**
   * By key, what is being tried right now, with when that went well last: until it ends it makes nothing better and nothing
   * worse.
   */
  readonly underWay: ReadonlyMap<string, number | undefined>;
  /** What is not watched any more (a source that was removed, or paused) neither goes on nor is well. */
  isWatched(subject: AlertSubject): boolean;
}

export interface Decision {
  /** Those that are not as they were. */
  readonly changed: readonly AlertState[];
  readonly ended: readonly AlertSubject[];
  /** To be sent now; undefined: nothing. */
  readonly news: AlertNews | undefined;
}

/** Recoveries that come one by one are gathered for so long. */
const gatherMs = 3_600_000;
const longestHoldMs = 6 * 3_600_000;
/** What came back within this time after it was well comes and goes. */
const rememberMs = 86_400_000;

/** Pure: what is known, what is found now → what is known then, and what is told. */
export function decide(
  before: readonly AlertState[],
  observed: Observed,
  { now, lastToldAt, policy }: { now: number; lastToldAt: number | undefined; policy: AlertPolicy },
): Decision {
  const known = new Map(before.map((state) => [keyOfAlert(state), state]));
  const found = new Map(observed.findings.map((finding) => [keyOfAlert(finding), finding]));
  const next = new Map<string, AlertState>();
  for (const [key, state] of known) {
    const followed = follow(state, found.get(key), observed, now);
    if (followed) next.set(key, followed);
  }
  for (const [key, finding] of found)
    if (!next.has(key) && !finding.isEarly) next.set(key, begin(finding, now, 0));
  const settled = [...next].filter(([key, { phase }]) => phase !== 'new' || !observed.underWay.has(key));
  const news = newsOf(
    settled.map(([, state]) => state),
    { now, lastToldAt, policy },
  );
  if (news) tell(next, news, observed.findings, now);
  const changed = [...next.values()].filter((state) => known.get(keyOfAlert(state)) !== state);
  const ended = before.filter((state) => !next.has(keyOfAlert(state)));
  return { changed, ended, news: news && withEarly(news, next, known) };
}

function begin({ isEarly: _, ...finding }: Finding, now: number, relapses: number): AlertState {
  return { ...finding, phase: 'new', foundAt: now, relapses };
}

/** @returns undefined: it is forgotten */
function follow(
  state: AlertState,
  finding: Finding | undefined,
  { looked, underWay, isWatched }: Observed,
  now: number,
): AlertState | undefined {
  const { phase, relapses, goodAt = now } = state;
  if (!isWatched(state)) return undefined;
  if (!looked.has(state.kind)) return state;
  if (phase === 'calm') {
    if (now - goodAt >= rememberMs) return undefined;
    return finding && !finding.isEarly ? begin(finding, now, relapses + 1) : state;
  }
  if (!finding) {
    const key = keyOfAlert(state);
    if (phase !== 'clearing' && underWay.has(key) && !isAfter(underWay.get(key), state)) return state;
    if (phase === 'new') return undefined;
    return phase === 'told' ? { ...state, phase: 'clearing', goodAt: now } : state;
  }
  const { title, facts } = finding;
  if (phase === 'clearing')
    return {
      ...{ ...state, title, facts, phase: 'told', goodAt: undefined },
      ...{ relapses: relapses + 1, relapsedAt: now },
    };
  const isSame = title === state.title && JSON.stringify(facts) === JSON.stringify(state.facts);
  return isSame ? state : { ...state, title, facts };
}

/** Whether it was well after it was found. */
function isAfter(good: number | undefined, { foundAt, relapsedAt = foundAt }: AlertState): boolean {
  return good !== undefined && good > relapsedAt;
}

interface Moment {
  readonly now: number;
  readonly lastToldAt: number | undefined;
  readonly policy: AlertPolicy;
}

function newsOf(states: readonly AlertState[], { now, lastToldAt, policy }: Moment): AlertNews | undefined {
  if (lastToldAt !== undefined && now - lastToldAt < policy.pauseMs && now >= lastToldAt) return undefined;
  const firing = states.filter(({ phase }) => phase === 'new');
  const clearing = states.filter(({ phase }) => phase === 'clearing');
  const recovered = clearing.filter((state) => now >= heldUntil(state, policy));
  const told = states.filter(({ phase }) => phase === 'told');
  const isFiring = firing.some(({ foundAt }) => now - foundAt >= policy.groupMs);
  const isReminder = told.some(
    ({ toldAt = now, remindedAt = toldAt }) => now - remindedAt >= policy.remindMs,
  );
  const isRecovered = recovered.some(
    (state) =>
      now - heldUntil(state, policy) >= gatherMs ||
      // Nothing is left to wait for that was told together with it.
      ![...told, ...clearing.filter((one) => !recovered.includes(one))].some(
        ({ kind, toldAt }) => kind === state.kind && toldAt === state.toldAt,
      ),
  );
  if (!isFiring && !isReminder && !isRecovered) return undefined;
  const lasting = [...told, ...clearing.filter((state) => !recovered.includes(state))];
  return {
    firing: firing.map(entryOf),
    recovered: recovered.map(entryOf),
    lasting: lasting.map(entryOf),
    isReminder,
  };
}

function heldUntil({ goodAt = 0, relapses }: AlertState, { holdMs }: AlertPolicy): number {
  return goodAt + Math.min(longestHoldMs, holdMs * 2 ** Math.min(relapses, 20));
}

function entryOf({ kind, subject, title, since, goodAt, phase, facts, relapses }: AlertState): AlertEntry {
  const isOver = phase === 'clearing';
  return { kind, subject, title, since, facts, relapses, ...(isOver ? { until: goodAt } : {}) };
}

/** What goes out is told from now on; with it what would be told soon for the same reason. */
function tell(
  states: Map<string, AlertState>,
  { firing, recovered, isReminder }: AlertNews,
  findings: readonly Finding[],
  now: number,
): void {
  const kinds = new Set(firing.map(({ kind }) => kind));
  for (const finding of findings) {
    const key = keyOfAlert(finding);
    const state = states.get(key);
    const isUntold = state === undefined || state.phase === 'calm';
    if (finding.isEarly && isUntold && kinds.has(finding.kind))
      states.set(key, { ...begin(finding, now, state?.relapses ?? 0), phase: 'told', toldAt: now });
  }
  for (const entry of firing) {
    const key = keyOfAlert(entry);
    const state = states.get(key);
    if (state) states.set(key, { ...state, phase: 'told', toldAt: now });
  }
  for (const entry of recovered) {
    const key = keyOfAlert(entry);
    const state = states.get(key);
    if (state) states.set(key, { ...state, phase: 'calm' });
  }
  if (!isReminder) return;
  for (const [key, state] of states)
    if (state.phase === 'told') states.set(key, { ...state, remindedAt: now });
}

/** With those that were told before their time. */
function withEarly(
  news: AlertNews,
  next: ReadonlyMap<string, AlertState>,
  before: ReadonlyMap<string, AlertState>,
): AlertNews {
  const named = new Set(news.firing.map(keyOfAlert));
  const early = [...next.values()].filter((state) => {
    const key = keyOfAlert(state);
    const wasTold = ['told', 'clearing'].includes(before.get(key)?.phase ?? '');
    return state.phase === 'told' && !wasTold && !named.has(key);
  });
  return { ...news, firing: [...news.firing, ...early.map(entryOf)] };
}

/**
 * What people are told of: something is wrong (a *finding*) and stays so (an *alert*, once it was told) until it is well again
 * (*recovered*). Moments are milliseconds since the epoch.
 */
export const alertKinds = [
  'database',
  'disk',
  'harvest',
  'queue',
  'deletions',
  'files',
  'publication',
  'records',
  'backup',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** What a finding is about: of a source, a set or a disk the name; empty: the installation. */
export interface AlertSubject {
  readonly kind: AlertKind;
  readonly subject: string;
}

/** Numbers and what others said, of which each language makes its sentence. */
export type AlertFacts = Readonly<Record<string, string | number>>;

export interface Finding extends AlertSubject {
  /** What people call it. */
  readonly title: string;
  readonly since: number;
  readonly facts: AlertFacts;
  /** Wrong, but not for long enough to be told by itself: told together with others of its kind that are. */
  readonly isEarly?: boolean;
}

/**
 * `new`: not told yet. `told`. `clearing`: well again, and nobody has been told, for it may come back. `calm`: told to be
 * well, and remembered for a while, for it may come and go.
 */
export type AlertPhase = 'new' | 'told' | 'clearing' | 'calm';

export interface AlertState extends Omit<Finding, 'isEarly'> {
  readonly phase: AlertPhase;
  /** When it was found first. */
  readonly foundAt: number;
  readonly toldAt?: number | undefined;
  readonly remindedAt?: number | undefined;
  /** Since when it is well. */
  readonly goodAt?: number | undefined;
  /** How often it came back before anybody was told that it is well, or soon after. */
  readonly relapses: number;
  /** When it came back last. */
  readonly relapsedAt?: number | undefined;
}

/** A line of a message. */
export interface AlertEntry extends AlertSubject {
  readonly title: string;
  readonly since: number;
  /** Of what is well again. */
  readonly until?: number | undefined;
  readonly facts: AlertFacts;
  readonly relapses: number;
}

/** What a message says: what has changed; and, in a reminder, what is as it was. */
export interface AlertNews {
  readonly firing: readonly AlertEntry[];
  readonly recovered: readonly AlertEntry[];
  readonly lasting: readonly AlertEntry[];
  readonly isReminder: boolean;
}

export function keyOfAlert({ kind, subject }: AlertSubject): string {
  return `${kind} ${subject}`;
}

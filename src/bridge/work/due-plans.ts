import type { Config } from '../../core/config/config.ts';
import { defaultSchedules } from '../../core/config/source-schema.ts';
import { nextDue, type Schedule } from '../../core/time/next-due.ts';
import { type Spread, spreadSources } from '../../core/time/spread.ts';
import { turnsOf } from '../../harvest/turns.ts';
import type { DueKind, DueWork, PlannedWork } from '../../store/runs/due.ts';

/** Something to be done again and again. */
export interface Plan extends DueWork {
  /** Undefined: never by itself. */
  readonly schedule: Schedule | undefined;
  /** What the schedule is made of: another text is another schedule. */
  readonly text: string;
}

/** Before the documents of the night are rendered. */
const retentionSchedule = '10 1 * * *';

export type PlannedConfig = Pick<Config, 'sources' | 'publish' | 'timeZone' | 'alerts' | 'mail'>;

/** What is due by a configuration, and when: of each source, and of the installation. */
export function plansOf(config: PlannedConfig): readonly Plan[] {
  const { sources, publish, timeZone } = config;
  const planOf = planIn(timeZone);
  const ofSources = (kind: DueKind, setting: keyof typeof defaultSchedules): readonly Plan[] => {
    const schedules = new Map<string, string>();
    for (const [name, { [setting]: cron }] of Object.entries(sources)) {
      if (cron !== false) schedules.set(name, cron);
    }
    const spreads = spreadSources(schedules, defaultSchedules[setting]);
    return Object.keys(sources).map((source) =>
      planOf(source, kind, schedules.get(source), spreads.get(source)),
    );
  };
  return [
    ...ofSources('harvest', 'schedule'),
    ...ofSources('full', 'fullPass'),
    ...ofSources('identifiers', 'identifierPass'),
    planOf('', 'retention', retentionSchedule),
    planOf('', 'lists', publish.resourceListSchedule),
    planOf('', 'dumps', publish.resourceDumpSchedule),
    alertsPlan(config),
    { source: '', kind: 'publication', schedule: always, text: 'always' },
  ];
}

/**
 * When each is due from a moment on.
 * @param isFirst those that do not wait for their schedule where they were not known before
 */
export function workOf(
  plans: readonly Plan[],
  now: number,
  isFirst: (work: DueWork) => boolean,
): readonly PlannedWork[] {
  return plans.map(({ source, kind, schedule, text }) => {
    const next = schedule && nextDue(schedule, now);
    return { source, kind, schedule: text, next, first: isFirst({ source, kind }) ? now : next };
  });
}

/** Never where there is nobody to be told. */
function alertsPlan({ alerts, mail, sources }: Pick<Config, 'alerts' | 'mail' | 'sources'>): Plan {
  const { everySeconds, to, webhook, slack, pingUrl } = alerts;
  const hasContacts = Object.values(sources).some(({ digestTo }) => digestTo !== undefined);
  const isWanted = (mail && (to !== undefined || hasContacts)) || webhook || slack || pingUrl !== undefined;
  const periodMs = everySeconds * 1000;
  const after = (moment: number) => (Math.floor(moment / periodMs) + 1) * periodMs;
  return {
    ...{ source: '', kind: 'alerts' },
    schedule: isWanted ? { place: 0, atMostMs: 0, after } : undefined,
    text: isWanted ? `every ${everySeconds} s` : 'never',
  };
}

const always: Schedule = { place: 0, atMostMs: 0, after: (moment) => moment + 1 };

function planIn(timeZone: string) {
  return (
    source: string,
    kind: DueKind,
    cron: string | false | undefined,
    { place, atMostMs }: Spread = { place: 0, atMostMs: 0 },
  ): Plan => {
    if (cron === undefined || cron === false) return { source, kind, schedule: undefined, text: 'never' };
    const written = timeZone === 'UTC' ? cron : `${cron} in ${timeZone}`;
    const text = place === 0 ? written : `${written} + ${place.toFixed(6)} of ${atMostMs}`;
    return {
      source,
      kind,
      text,
      schedule: { place, atMostMs, after: (moment) => turnsOf(cron, timeZone).after(moment) },
    };
  };
}

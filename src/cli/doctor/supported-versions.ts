import type { Diagnosis } from './diagnosis.ts';
import { diagnose } from './diagnosis.ts';

/** When the projects end their care: nodejs.org/en/about/previous-releases, postgresql.org/support/versioning. */
const endOfNode: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};
const endOfPostgres: Readonly<Record<number, string>> = {
  13: '2025-11-13',
  14: '2026-11-12',
  15: '2027-11-11',
  16: '2028-11-09',
  17: '2029-11-08',
  18: '2030-11-14',
};

/** @param version as `process.version` has it @param today ISO */
export function judgeNode(version: string, today: string): readonly Diagnosis[] {
  const major = Number(/^v(\d+)/.exec(version)?.[1]);
  const end = endOfNode[major];
  const mend = 'install Node.js 24, then: npm rebuild && rsbridge check';
  return diagnose(
    'Node.js',
    [
      major % 2 === 1 && {
        severity: 'note',
        message: `${version} is of a line that gets no long care`,
        mend,
      },
      end !== undefined &&
        today > end && {
          severity: 'note',
          message: `${version}: the Node.js project gave this line up on ${end}`,
          mend,
        },
    ],
    end === undefined ? version : `${version}, looked after until ${end}`,
  );
}

/** @param version as the server tells it @param today ISO */
export function judgePostgres(version: string, today: string): readonly Diagnosis[] {
  const major = Number.parseInt(version, 10);
  const end = endOfPostgres[major];
  const isOld = major < 13 || (end !== undefined && today > end);
  return diagnose(
    'PostgreSQL',
    [
      isOld && {
        severity: 'warning',
        message: `${version}: the PostgreSQL project gave ${major} up${end === undefined ? '' : ` on ${end}`}`,
        mend: `pg_upgrade to PostgreSQL ${Math.max(...Object.keys(endOfPostgres).map(Number))}, after: rsbridge backup FILE`,
      },
    ],
    end === undefined ? version : `${version}, looked after until ${end}`,
  );
}

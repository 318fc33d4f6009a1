import * as theHouse from '../../../../migrations/0001-the-house.ts';
import * as linksBefore from '../../../../migrations/0002-links-before.ts';
import * as filesAndLessons from '../../../../migrations/0003-files-and-lessons.ts';
import * as priorVersions from '../../../../migrations/0004-prior-versions.ts';
import * as time from '../../../../migrations/0005-time.ts';
import * as retention from '../../../../migrations/0006-retention.ts';
import * as refusedFiles from '../../../../migrations/0007-refused-files.ts';
import * as withdrawals from '../../../../migrations/0009-withdrawals.ts';
import * as removedSources from '../../../../migrations/0010-removed-sources.ts';
import * as vanished from '../../../../migrations/0014-vanished.ts';
import * as unreadable from '../../../../migrations/0015-unreadable.ts';
import * as manySources from '../../../../migrations/0018-many-sources.ts';
import * as quietLinks from '../../../../migrations/0024-quiet-links.ts';
import * as sharedLinks from '../../../../migrations/0025-shared-links.ts';
import * as seen from '../../../../migrations/0030-seen.ts';
import * as linksOnce from '../../../../migrations/0031-links-once.ts';
import * as takeover from '../../../../migrations/0032-takeover.ts';

/** Every schema that a database may have come to a halt at, and what had led to it. */
export const migrations = {
  '0001-the-house': theHouse,
  '0002-links-before': linksBefore,
  '0003-files-and-lessons': filesAndLessons,
  '0004-prior-versions': priorVersions,
  '0005-time': time,
  '0006-retention': retention,
  '0007-refused-files': refusedFiles,
  '0009-withdrawals': withdrawals,
  '0010-removed-sources': removedSources,
  '0014-vanished': vanished,
  '0015-unreadable': unreadable,
  '0018-many-sources': manySources,
  '0024-quiet-links': quietLinks,
  '0025-shared-links': sharedLinks,
  '0030-seen': seen,
  '0031-links-once': linksOnce,
  '0032-takeover': takeover,
} as const;

export const stages = Object.keys(migrations);

/** Sources of a database of before; the first has most of it. */
export const sourcesOfBefore = ['alpha', 'beta'] as const;

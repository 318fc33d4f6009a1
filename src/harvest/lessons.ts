import type { Clock, Lessons } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import type { Lesson } from '../store/sources/sources.ts';

/** What one source's endpoint taught us: filled from the store before a run, written back as it changes. */
export interface LessonBook extends Lessons {
  all(): readonly Lesson[];
  /** Takes what is stored; what was learnt since this process began stands. */
  fill(lessons: readonly Lesson[]): void;
  /** Everything, if something has changed since this was last asked. */
  takeChanged(): readonly Lesson[] | undefined;
}

export function createLessonBook(clock: Pick<Clock, 'now'>): LessonBook {
  const lessons = new Map<string, Lesson>();
  /** Keys this process had to do with, so that what is stored does not overrule them. */
  const own = new Set<string>();
  let changed = false;
  const touch = (key: string) => {
    own.add(key);
    changed = true;
  };
  return {
    get: (key) => lessons.get(key)?.value,
    learn(key, value, sentence) {
      const known = lessons.get(key);
      if (known?.value === value && known.sentence === sentence) return;
      lessons.set(key, { key, value, sentence, learnedAt: toIso(clock.now()) });
      touch(key);
    },
    forget(key) {
      if (lessons.delete(key)) touch(key);
    },
    all: () => [...lessons.values()],
    fill(stored) {
      for (const lesson of stored) if (!own.has(lesson.key)) lessons.set(lesson.key, lesson);
    },
    takeChanged() {
      if (!changed) return undefined;
      changed = false;
      return [...lessons.values()];
    },
  };
}

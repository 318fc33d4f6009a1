import { countOf } from '../../core/count-of.ts';
import type { ExportProgress } from '../../export/export.ts';
import type { Progress } from '../terminal/progress.ts';

/** Says how an export goes, one phase after the other. */
export function createExportProgress(
  progress: Progress,
  now: () => number = Date.now,
): (state: ExportProgress) => void {
  const startedAt = now();
  return ({ phase, done, total, written }) => {
    const files = `${countOf(written, 'file')} written`;
    progress.show(
      'export',
      { label: 'export', done, total, noun: phase.slice(0, -1), deed: 'compared', note: files },
      () => `${phase}: ${done} compared, ${files} in ${Math.round((now() - startedAt) / 1000)} s`,
    );
  };
}

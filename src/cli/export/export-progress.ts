import { countOf } from '../../core/count-of.ts';
import type { ExportProgress } from '../../export/export.ts';
import type { ExportPhase } from '../../export/site/export-phase.ts';
import type { Progress } from '../terminal/progress.ts';

const work: Readonly<Record<ExportPhase, { readonly noun: string; readonly deed: string }>> = {
  resources: { noun: 'resource', deed: 'compared' },
  changes: { noun: 'change', deed: 'read' },
  pages: { noun: 'page', deed: 'compared' },
  documents: { noun: 'document', deed: 'compared' },
  removals: { noun: 'path', deed: 'checked for removal' },
};

/** Says how an export goes, one phase after the other. */
export function createExportProgress(
  progress: Progress,
  now: () => number = Date.now,
): (state: ExportProgress) => void {
  const startedAt = now();
  return ({ phase, done, total, written }) => {
    const { noun, deed } = work[phase];
    const files = `${countOf(written, 'file')} written`;
    progress.show('export', { label: 'export', done, total, noun, deed, note: files }, () => {
      const isKnown = total !== undefined && total >= done;
      const counts = isKnown ? `${done} of ${countOf(total, noun)}` : countOf(done, noun);
      return `export: ${counts} ${deed}, ${files} in ${Math.round((now() - startedAt) / 1000)} s`;
    });
  };
}

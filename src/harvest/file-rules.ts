import type { SourceConfig } from '../core/config/config.ts';
import { isDspace, publishedFormats } from '../core/config/published-formats.ts';
import type { FileRules } from '../core/files/published-files.ts';

/** By which DSpace's own lists of files are known; what it has said once does not outlive a move to OAI-PMH. */
const dspaceOrigin = 'dspace';

/** What the configuration says about the files of a source. */
export function fileRules(config: SourceConfig): FileRules {
  const { mode, from, perItem, verify, landingPagesPerRun } = config.files;
  const formats = publishedFormats(config);
  const landingPages = landingPagesPerRun > 0;
  const rules = { mode, perItem, verify, landingPages, formats, fuse: config.deletionFuse };
  return isDspace(config) ? rules : { ...rules, from, retired: [dspaceOrigin] };
}

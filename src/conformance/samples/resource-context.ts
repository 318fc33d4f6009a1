import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { Report } from '../documents/finding.ts';

export interface ResourceContext {
  readonly port: SourcePort;
  readonly report: Report;
  /** Something could not be checked, for no fault of the Source. */
  readonly note: (message: string) => void;
  /** What a `resourcesync` link leads to, and whether it covers the resource; undefined where that is not known. */
  readonly coverage: (
    target: string,
    loc: string,
  ) => Promise<{ readonly capabilityList: boolean; readonly covered: boolean | undefined }>;
}

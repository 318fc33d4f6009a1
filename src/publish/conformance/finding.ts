/** What a check has to say: one rule of the checklist, broken in one place. */
export interface Finding {
  /** Of the checklist, e.g. `RS-CL-04`. */
  readonly rule: string;
  /** `error` where the standard says must, `warning` where it says should, or where it only follows. */
  readonly severity: 'error' | 'warning';
  /** `document`, or `entry 17: https://…`. */
  readonly place: string;
  readonly message: string;
}

export type Report = (rule: string, severity: Finding['severity'], message: string) => void;

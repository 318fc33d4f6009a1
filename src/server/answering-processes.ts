/** Those that answer at one address together. */
export interface AnsweringProcesses {
  /** Of this one. */
  readonly number: number;
  /** @param read what this process is to say of itself when another one is asked for the metrics of all */
  offer(read: () => Promise<readonly object[]>): void;
  /** The metrics of each. */
  gather(): Promise<readonly (readonly object[])[]>;
}

import { expect } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';

/** What is said of a configuration that is none. */
export function faultsOf(raw: unknown): string {
  try {
    parseConfig(raw);
  } catch (error) {
    expect(error).toMatchObject({ code: 'config-invalid' });
    return (error as Error).message;
  }
  throw new Error('no fault was found');
}

import type { Config } from '../../core/config/config.ts';
import { checkCron } from '../../harvest/turns.ts';

/** @throws BridgeError `config-invalid` naming the place of a schedule that is none */
export function checkSchedules(sources: Config['sources']): void {
  for (const [name, source] of Object.entries(sources)) {
    checkCron(`sources.${name}.schedule`, source.schedule);
    checkCron(`sources.${name}.fullPass`, source.fullPass);
    checkCron(`sources.${name}.identifierPass`, source.identifierPass);
  }
}

import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a file works with that takes its time: random cases, processes, whole harvests, a DSpace. */
const lengthy = /\b(?:runs|rsbridge|createSampleRepository|demoCommand|openStage|House)\b.* from '/;

/**
 * The files that take long first, so that at the end no worker is left alone with one of them. How long each took is
 * known only where the suite has run before; elsewhere what a file imports tells enough.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLengthy = new Map(
      sorted.map((file) => [file, lengthy.test(readFileSync(file.moduleId, 'utf8'))] as const),
    );
    return [
      ...sorted.filter((file) => isLengthy.get(file)),
      ...sorted.filter((file) => !isLengthy.get(file)),
    ];
  }
}

'use strict';

/**
 * Flags of V8 that hold the memory limits of docs/performance.md; without them it collects later than it has to.
 * @param {string} version of Node
 * @param {string} given flags that the user has set: where they speak of the same thing, ours do not
 * @returns {string[]}
 */
exports.heapFlags = (version, given) => {
  const flags = [];
  if (!/--(?:max[-_](?:old[-_]space|heap)[-_]size|heap[-_]growing[-_]percent)/.test(given))
    flags.push('--heap-growing-percent=40');
  // From Node 24 on the space for young objects grows to 96 MB and more.
  if (Number.parseInt(version, 10) >= 23 && !/--(?:max|min)[-_]semi[-_]space[-_]size/.test(given))
    flags.push('--max-semi-space-size=16');
  return flags;
};

/** Whether it counts only when it is there at the start of the process. */
exports.isForStart = (flag) => flag.startsWith('--max-semi-space-size');

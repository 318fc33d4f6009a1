let switches = 0;

/** How often this process has switched a pointer: nobody in it goes on with one of before. */
export function switchesHere(): number {
  return switches;
}

export function noteSwitch(): void {
  switches += 1;
}

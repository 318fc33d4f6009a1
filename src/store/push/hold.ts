/** What a process that is cut off has begun may have been sent, and is sent again by another after this. */
export const deliveryHoldMs = 60_000;

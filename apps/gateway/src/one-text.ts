/**
 * A body up to this length is written together with the head before it, as one text in latin1, which changes no byte: the
 * sockets of Node write a short text from the stack, while a head and a buffer beside it go through a list of pieces that
 * is made for them (ADR 0044). Node does so for texts below 16 KiB.
 */
export const ONE_TEXT_BYTES_MAX = 8 * 1024;

/** Kinds of frames of a call, in the order in which they come. */
export enum FrameType {
  Facts = 1,
  RequestChunk,
  /** The recording as it was announced while the call ran. */
  Running = 4,
  AnswerHead,
  /** Eight bytes of time (double, little endian), then bytes of the body. */
  AnswerChunk,
  End,
  /** The finished recording. */
  Finished,
  /** The recording is delivered or lost for good. */
  Done,
}

export interface Frame {
  type: FrameType;
  payload: Buffer;
}

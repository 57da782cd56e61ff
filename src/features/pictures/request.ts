// What the server and the process that decodes images say to each other, each message on one line.

/** The picture to make. */
export interface PictureRequest {
  /** The file of the image. */
  file: string;
  /** The file that is written. */
  into: string;
  /** In pixels. The picture is no wider, and never wider than the image. */
  width: number;
}

export interface PictureAnswer {
  /**
   * The file was written; the image is as good as a picture of it, and nothing was written; or why the image cannot be
   * decoded.
   */
  outcome: "made" | "original" | { refused: string };
}

/** The exit status of the process if the package sharp is not installed. */
export const notInstalled = 3;

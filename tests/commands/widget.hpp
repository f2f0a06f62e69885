// A class that a grammar without a preprocessor loses.
class WIDGETS_API Button : public Widget {
 public:
  explicit Button(const char *text);
  WIDGETS_INLINE int width() const { return width_; }

 private:
  int width_;
};
